"""Objects that may be handed on to other threads without an order -> their beginnings are events.

In C the life of an object begins where it is allocated, and who accesses it elsewhere must know of that by
happens-before. Threads learn of addresses from memory: where every atomic access that moves a pointer
acquires or releases, and nothing races, they know. Only programs with others need the events: their
allocations are marked (`mark_beginnings`), and once addresses are known each cell that another thread may
access gets one (`with_beginnings`), a fence with the cell's address that orders nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from treville.analysis.possible import Values
from treville.events.kinds import FENCE
from treville.programs.ir import (
    BEGUN,
    LOCATION_BASE,
    LOCATION_STRIDE,
    Allocate,
    Const,
    Fence,
    Instruction,
    Load,
    Program,
    Reg,
    Store,
    Thread,
    place,
    plus,
)
from treville.programs.starting import before_threads
from treville.records import replace
from treville.relations import elements

if TYPE_CHECKING:
    from treville.analysis.possible import Values
    from treville.events.symbolic import SymbolicProgram

_POINTER = 64
_ORDERED = {Load: frozenset({"ACQ", "ACQ_REL", "SC", "NA"}), Store: frozenset({"REL", "ACQ_REL", "SC", "NA"})}


def mark_beginnings(program: Program) -> Program:
    """The program where allocations say whether their beginnings matter."""
    if not any(map(_moves_pointers_freely, program.instructions())):
        return program
    main = program.threads[0]
    alone = before_threads(main)
    return program.rewritten(lambda thread: _marked(thread, alone if thread is main else 0))


def _moves_pointers_freely(instruction: Instruction) -> bool:
    """May it be an atomic access to a pointer that orders nothing?"""
    if not isinstance(instruction, Load | Store) or instruction.bits != _POINTER:
        return False
    if isinstance(instruction, Store) and isinstance(instruction.value, Const):
        return False
    return not instruction.tags & _ORDERED[type(instruction)]


def _marked(thread: Thread, alone: int) -> Thread:
    def marked(at: int, instruction: Instruction) -> Instruction:
        if isinstance(instruction, Allocate) and at >= alone:
            return replace(instruction, begins=True)
        return instruction

    return replace(thread, instructions=tuple(marked(*each) for each in enumerate(thread.instructions)))


def with_beginnings(program: Program, symbolic: SymbolicProgram, values: Values) -> Program | None:
    """The program with an event for the beginning of each cell that another thread may access; None if
    there are none. `program`: with the allocations of `symbolic`."""
    cells: dict[int, set[int]] = {}
    for number in elements(values.live if symbolic.begun else 0):
        event = symbolic.events[number]
        for address in values.addresses(event) if event.kind is not FENCE else ():
            offset = (address - LOCATION_BASE) % LOCATION_STRIDE
            made = symbolic.begun.get(address - offset)
            if made is not None and made[0] != event.thread:
                cells.setdefault(id(made[1]), set()).add(offset)
    if not cells:
        return None
    return program.rewritten(
        lambda thread: thread.rewritten(_with_events(i, cells.get(id(i), ())) for i in thread.instructions)
    )


def _with_events(instruction: Instruction, offsets: Iterable[int]) -> Iterator[Instruction]:
    yield instruction
    if isinstance(instruction, Allocate):
        for offset in sorted(offsets):
            begun = Fence(frozenset({BEGUN}), plus(Reg(instruction.register), offset))
            place(begun, instruction.text, instruction.span, instruction.index)
            yield begun
