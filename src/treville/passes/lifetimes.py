"""A program that frees objects -> the same program where each cell that may be accessed has its own end.

To free an object is to write to all of its cells for the last time: whoever accesses one of them after that
write (in coherence, or where happens-before does not say that it was earlier) uses it after it was freed.
Which cells an object has is known only once the addresses of all accesses are. What a freed cell holds never
matters, so they do not depend on what is freed, and it is enough to look once.
"""

from __future__ import annotations

from treville.analysis.possible import Values
from treville.events.kinds import FENCE
from treville.events.symbolic import SymbolicProgram
from treville.programs.ir import FREED, LOCATION_BASE, LOCATION_STRIDE, Free, Instruction, Program
from treville.records import replace
from treville.relations import elements


def with_ends_of_cells(symbolic: SymbolicProgram, values: Values) -> Program | None:
    """The program with a `Free` for each cell of the objects that may be freed; None if there are no cells
    but the first ones."""
    cells = _cells(symbolic, values, _freed(symbolic, values))
    if not cells:
        return None
    return symbolic.program.rewritten(
        lambda thread: thread.rewritten(_split(instruction, cells) for instruction in thread.instructions)
    )


def _freed(symbolic: SymbolicProgram, values: Values) -> set[int]:
    """The starts of the objects that may be freed."""
    found: set[int] = set()
    for guard, address, instruction in symbolic.frees:
        if address in values.ranged:
            found.update(symbolic.heap)
        elif values.possible(guard):
            starts = values.listed(address)
            found |= starts if instruction.local else starts.intersection(symbolic.heap)
    return found


def _cells(symbolic: SymbolicProgram, values: Values, freed: set[int]) -> dict[int, tuple[int, ...]]:
    """By their offsets: the cells, other than the first ones, of objects that may be freed."""
    found: dict[int, set[int]] = {}
    for number in elements(values.live):
        event = symbolic.events[number]
        if event.kind is FENCE or FREED in event.tags:
            continue
        for address in values.addresses(event):
            offset = (address - LOCATION_BASE) % LOCATION_STRIDE
            if offset and address - offset in freed:
                found.setdefault(offset, set()).add(address - offset)
    return {offset: tuple(sorted(starts)) for offset, starts in sorted(found.items())}


def _split(instruction: Instruction, cells: dict[int, tuple[int, ...]]) -> list[Instruction]:
    if not isinstance(instruction, Free):
        return [instruction]
    others = (replace(instruction, offset=offset, within=starts) for offset, starts in cells.items())
    return [instruction, *others]
