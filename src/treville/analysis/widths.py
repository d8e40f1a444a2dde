"""Accesses that overlap in parts are refused: a read would see pieces of several writes.

Litmus tests have cells of one width each; what C programs access may be of any width, so every pair of
accesses must be to the same bytes or to different ones. The cells of globals count as accesses that give them
their initial values.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from treville.programs.ir import Load, Program, Store
from treville.results import Span, Unsupported

if TYPE_CHECKING:
    from treville.analysis.possible import Values
    from treville.events.symbolic import StaticEvent, SymbolicProgram

MIXED = "accesses of different sizes to the same memory (mixed-size)"


def refuse_mixed_sizes(symbolic: SymbolicProgram, values: Values) -> None:
    """Raise at an access that overlaps another one. To read the lower part of what was written is no problem:
    the lock in the first word of a zero-filled struct."""
    written = _declared(symbolic.program)
    if not written and not symbolic.objects:
        return
    read: dict[int, int] = {}
    longest = dict(written)
    for event in symbolic.events:
        instruction = event.instruction
        if not isinstance(instruction, Load | Store) or not values.live >> event.number & 1:
            continue
        for address in values.addresses(event):
            longest[address] = max(longest.get(address, 0), instruction.bits)
            if isinstance(instruction, Store):
                written[address] = min(written.get(address, instruction.bits), instruction.bits)
            else:
                read[address] = max(read.get(address, 0), instruction.bits)
    for address, bits in read.items():
        if bits > written.get(address, bits):
            raise Unsupported(MIXED, _place(symbolic.events, values, address))
    for (address, bits), (following, _) in pairwise(sorted(longest.items())):
        if address + bits // 8 > following:
            raise Unsupported(MIXED, _place(symbolic.events, values, address, following))


def _declared(program: Program) -> dict[int, int]:
    """The widths of the cells of the globals of a C program."""
    return {
        location.address + offset: bits
        for location in program.locations.values()
        for offset, bits, _ in location.parts
    }


def _place(events: Iterable[StaticEvent], values: Values, *addresses: int) -> Span | None:
    """Where one of the addresses is accessed."""
    for event in events:
        live = values.live >> event.number & 1 and event.address is not None
        if live and not values.addresses(event).isdisjoint(addresses):
            return event.instruction.span
    return None
