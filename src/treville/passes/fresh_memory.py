"""Fresh memory that may be read before it is written -> the program where it holds any numbers at first.

Most programs never read such memory, and to prove that needs no numbers: it is enough that no read has the
initial write of such a cell as its source. So fresh memory is zero until an execution is found that reads
it; only then the cells get any numbers, each by a write right behind the allocation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from treville.analysis.facts import Facts
from treville.programs.ir import (
    LOCATION_BASE,
    LOCATION_STRIDE,
    Allocate,
    Const,
    Instruction,
    Load,
    Nondet,
    Op,
    Program,
    Reg,
    Store,
    Thread,
    place,
)
from treville.records import NamedTuple
from treville.relations import EventId, elements

UNSET = "UNSET"  # the tag of writes that stand for what was there at first


class UnsetRead(NamedTuple):
    """A read that may find what was there at first: its source, the read, and which cell of what object."""

    write: EventId
    read: EventId
    allocation: Instruction
    offset: int


def unset_reads(facts: Facts) -> list[UnsetRead]:
    """All reads that may find fresh memory as it was, as far as the analysis can tell."""
    found = []
    if not facts.symbolic.unset:
        return []
    sources = facts.relations["rf"].may.rows
    for write, address in facts.initial_writes.items():
        offset = (address - LOCATION_BASE) % LOCATION_STRIDE
        allocation = facts.symbolic.unset.get(address - offset)
        if allocation is not None:
            found += [UnsetRead(write, read, allocation, offset) for read in elements(sources[write])]
    return found


def reads_of_any_contents(facts: Facts) -> list[tuple[EventId, EventId]]:
    """In a program where fresh memory has any contents: these writes, and the reads that may find them."""
    sources = facts.relations["rf"].may.rows
    writes = elements(facts.sets[UNSET].may if UNSET in facts.sets else 0)
    return [(write, read) for write in writes for read in elements(sources[write])]


# By what made them, cells that may be read before they are written: their offsets, and bits.
FreshCells: TypeAlias = Mapping[int, Mapping[int, int]]


def fresh_cells(facts: Facts, reads: list[UnsetRead]) -> FreshCells:
    """The cells that these reads may find as they were."""
    cells: dict[int, dict[int, int]] = {}
    for unset in reads:
        bits = _width(facts, facts.initial_writes[unset.write])
        cells.setdefault(id(unset.allocation), {})[unset.offset] = bits
    return cells


def with_any_contents(program: Program, cells: FreshCells) -> Program:
    """The program in which the cells hold any numbers at first."""
    return program.rewritten(lambda thread: _filled(thread, cells))


def _width(facts: Facts, address: int) -> int:
    """The width of the widest access to a cell."""
    widths = [
        event.instruction.bits
        for event in facts.symbolic.events
        if isinstance(event.instruction, Load | Store) and address in facts.addresses(event.number)
    ]
    return max(widths)


def _filled(thread: Thread, cells: FreshCells) -> Thread:
    stores = (i.tags for i in thread.instructions if isinstance(i, Store) and "DATA" in i.tags)
    tags = next(stores, frozenset({"NA", "DATA"}))

    def filled(instruction: Instruction) -> Iterator[Instruction]:
        yield instruction
        if isinstance(instruction, Allocate):
            for offset, bits in sorted(cells.get(id(instruction), {}).items()):
                yield from _any_number(instruction, offset, bits, tags)

    return thread.rewritten(map(filled, thread.instructions))


def _any_number(allocation: Allocate, offset: int, bits: int, tags: frozenset[str]) -> list[Instruction]:
    number = f"{allocation.register}#{offset}"
    address = Op("add", (Reg(allocation.register), Const(offset)), 64)
    made: list[Instruction] = [Nondet(number, bits), Store(address, Reg(number), tags | {UNSET}, bits)]
    for instruction in made:
        place(instruction, allocation.text, allocation.span, allocation.index)
    return made
