"""What the analysis of values finds out: the numbers that values may be, the cells that accesses may go to.

The data between `analysis.values`, which computes it, and all that use it.
"""

from __future__ import annotations

from typing import TypeAlias

from treville.analysis.pointers import Pointers
from treville.events.symbolic import StaticAccess, StaticEvent
from treville.events.symbolic_terms import Condition, Value
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE, Location
from treville.records import dataclass, field
from treville.results import TooLarge

MAX_ADDRESSES = 1_000
EMPTY: frozenset[int] = frozenset()
Numbers: TypeAlias = "frozenset[int] | range"


def signed_range(bits: int) -> range:
    """The signed numbers of so many bits."""
    return range(-(1 << (bits - 1)), 1 << (bits - 1))


@dataclass(slots=True)
class Values:
    """What the analysis found. `numbers[v]`: what value v may be, a range if it is in `ranged`;
    `may_hold[c]`, `may_fail[c]`: whether condition c (a positive index) may be true, may be false; `initial`:
    what declared memory holds at first; `sizes`: of allocated objects by slot, whose memory is zero at first;
    `ends`: where the last cell of declared objects ends, by slot."""

    numbers: list[Numbers]
    may_hold: list[bool]
    may_fail: list[bool]
    initial: dict[int, int]
    sizes: dict[int, int] = field(default_factory=dict)
    ends: dict[int, int] = field(
        default_factory=dict
    )  # of declared objects by slot: where the last cell ends
    ranged: set[Value] = field(default_factory=set)
    live: int = 0
    pointers: Pointers | None = None
    _spread: dict[Value, frozenset[int]] = field(default_factory=dict)

    def possible(self, condition: Condition) -> bool:
        """May the (signed) condition hold?"""
        return self.may_hold[condition] if condition > 0 else self.may_fail[-condition]

    def certain(self, condition: Condition) -> bool:
        """Must the (signed) condition hold?"""
        return not self.possible(-condition)

    def addresses(self, event: StaticEvent) -> frozenset[int]:
        """Where the event may access memory; a run that goes where no cell is does not count."""
        if event.address is None:
            return EMPTY
        if event.address in self.ranged:
            return self._anywhere(event.address)
        numbers = self.listed(event.address)
        known = numbers & self.initial.keys()
        if len(known) == len(numbers) or not self.sizes:
            return known
        return known | frozenset(number for number in numbers - known if self._allocated(number))

    def outside(self, event: StaticAccess) -> frozenset[int] | None:
        """Numbers that the address of an access may be although no cell is there; None: too many."""
        if event.address in self.ranged:
            return None
        return self.listed(event.address) - self.addresses(event)

    def _anywhere(self, address: Value) -> frozenset[int]:
        """The cells that an access through a ranged address may go to."""
        found = self._spread.get(address)
        if found is None:
            cells = [n for n in self._reachable(address) if n in self.initial or self._allocated(n)]
            found = self._spread[address] = frozenset(cells)
        return found

    def _reachable(self, address: Value) -> list[int]:
        """The numbers in objects that a ranged address may be."""
        assert self.pointers is not None
        modulus, rest = self.pointers.remainder(address)
        found: list[int] = []
        for slot in self.pointers.objects(address):
            start = LOCATION_BASE + slot * LOCATION_STRIDE
            end = start + (self.sizes.get(slot, 0) or self.ends.get(slot, 0))
            numbers = range(start + (rest - start) % max(modulus, 1), end, max(modulus, 1))
            if len(found) + len(numbers) > MAX_ADDRESSES:
                raise TooLarge("an address may be too many numbers", "lower --bound")
            found += numbers
        return found

    def is_aligned(self, event: StaticAccess) -> bool:
        """Does a ranged address reach whole cells only?"""
        assert self.pointers is not None
        address, width = event.address, getattr(event.instruction, "bits", 0) // 8
        whole = self.pointers.remainder(address)[0] >= width
        return whole and len(self._reachable(address)) == len(self._anywhere(address))

    def listed(self, value: Value) -> frozenset[int]:
        """The numbers that a value may be, one by one; a ranged value has too many."""
        numbers = self.numbers[value]
        if isinstance(numbers, range):
            raise TooLarge("a value may be too many numbers", "lower --bound")
        return numbers

    def _allocated(self, address: int) -> bool:
        slot, offset = divmod(address - LOCATION_BASE, LOCATION_STRIDE)
        return offset < self.sizes.get(slot, 0)


def cells_of(location: Location) -> list[tuple[int, int, int]]:
    """The cells of a global: offset, bits, initial value."""
    if location.parts:
        return list(location.parts)
    step = location.cell_bytes
    return [(cell * step, location.bits, number) for cell, number in enumerate(location.initial)]
