"""What `events.symbolic` makes of a program: static events, what registers hold, what runs must satisfy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from treville.events.symbolic_terms import Terms
from treville.programs.ir import Instruction, Program

# Reads that something depends on, each with the condition under which it does (given both events).
Sources: TypeAlias = dict[int, int]
NOTHING: Sources = {}
NO_BLOCK = -1


class Binding(NamedTuple):
    """What a register holds: a value, its data and its pick dependencies."""

    value: int
    data: Sources = NOTHING
    pick: Sources = NOTHING


@dataclass(slots=True)
class StaticEvent:
    """An event that is executed exactly when `guard` holds. Fences have no value, and most no address."""

    number: int
    thread: int
    kind: str
    tags: frozenset[str]
    guard: int
    instruction: Instruction
    position: int
    order: int
    address: int | None = None
    value: int | None = None
    addr: Sources = field(default_factory=dict)
    data: Sources = field(default_factory=dict)
    ctrl: Sources = field(default_factory=dict)
    pick_addr: Sources = field(default_factory=dict)
    pick_data: Sources = field(default_factory=dict)
    pick_ctrl: Sources = field(default_factory=dict)
    pair: Sources = field(default_factory=dict)
    exclusive: bool = False
    block: int = NO_BLOCK


class Wait(NamedTuple):
    """Where a thread may wait: `condition` says that it is there and does not pass. It reads `reads` again
    and again, as far as they are executed, and `writes` only write back what was there."""

    thread: int
    instruction: Instruction
    condition: int
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()


@dataclass(slots=True)
class SymbolicProgram:
    """All threads: their events, which of them can follow which (`po` rows), and what runs must satisfy.

    `required` lists (guard, condition): where the guard holds the condition must. `cuts` are the conditions
    under which a thread stops at the loop bound. `havocs` lists (guard, value) of free choices of a value,
    `jumps` (value, code addresses, instruction) of indirect branches. `final[t]` binds the registers of
    thread t at its end.

    `asserts` lists the conditions under which assertions fail, `joins` (value, mask): the threads of that
    number end before the events in the mask; `objects` are allocated objects (name and size), which lie
    behind the program's globals. `waits` lists where threads may wait, `threads` the conditions under which
    each thread is started and has ended. `heap` are the starts of objects that may be freed, `frees` lists
    (guard, address, instruction) of where objects are; `unset` are the starts of those whose contents are not
    known, and what made them.
    """

    program: Program
    terms: Terms = field(default_factory=Terms)
    events: list[StaticEvent] = field(default_factory=list)
    po: list[int] = field(default_factory=list)
    required: list[tuple[int, int]] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    cut_at: list[Instruction] = field(default_factory=list)  # for each of `cuts` what was not done again
    havocs: list[tuple[int, int]] = field(default_factory=list)
    jumps: list[tuple[int, frozenset[int], Instruction]] = field(default_factory=list)
    final: list[dict[str, Binding]] = field(default_factory=list)
    # What only whole programs have; see `events.symbolic_whole`.
    asserts: list[tuple[int, Instruction]] = field(default_factory=list)
    joins: list[tuple[int, int]] = field(default_factory=list)
    objects: list[tuple[str, int]] = field(default_factory=list)
    heap: list[int] = field(default_factory=list)
    frees: list[tuple[int, int, Instruction]] = field(default_factory=list)
    unset: dict[int, Instruction] = field(default_factory=dict)
    waits: list[Wait] = field(default_factory=list)
    threads: dict[int, tuple[int, int]] = field(default_factory=dict)
    thread_names: list[str] = field(default_factory=list)
