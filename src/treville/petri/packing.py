"""Vectors of natural numbers packed into one Python integer, and a set of them indexed by support.

Each number gets a field of `width` bits whose top bit stays clear; with all top bits set, one subtraction
compares all fields at once without borrows crossing them. Comparing, taking maxima and shifting vectors
of dozens of places then cost a few big-integer operations, which is what makes backward search in plain
Python fast enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


class FieldOverflow(Exception):
    """A number outgrew its field; the caller starts again with wider fields."""


class Packing:
    """How `count` numbers below 2**(width-1) share an integer."""

    def __init__(self, count: int, width: int) -> None:
        self.count = count
        self.width = width
        self.field = (1 << width) - 1
        self.limit = (1 << (width - 1)) - 1
        ones = sum(1 << (width * index) for index in range(count))
        self.guards = ones << (width - 1)
        self.full = ones * self.limit

    def pack(self, numbers: Sequence[int]) -> int:
        """The integer that holds `numbers`; raises `FieldOverflow` when one is too large."""
        value = 0
        for number in reversed(numbers):
            if number > self.limit:
                raise FieldOverflow
            value = value << self.width | number
        return value

    def unpack(self, value: int) -> tuple[int, ...]:
        """The numbers that `pack` joined."""
        field, width = self.field, self.width
        return tuple((value >> (width * index)) & field for index in range(self.count))

    def unit(self, index: int, number: int) -> int:
        """`number` in field `index`, zero elsewhere."""
        if number > self.limit:
            raise FieldOverflow
        return number << (self.width * index)

    def at(self, value: int, index: int) -> int:
        """The number in field `index`."""
        return (value >> (self.width * index)) & self.field

    def leq(self, a: int, b: int) -> bool:
        """True when every number of `a` is at most that of `b`."""
        guards = self.guards
        return ((b | guards) - a) & guards == guards

    def maximum(self, a: int, b: int) -> int:
        """The greater of each pair of numbers."""
        larger = ((a | self.guards) - b) & self.guards
        mask = larger - (larger >> (self.width - 1))
        return (a & mask) | (b & (self.full ^ mask))

    def checked(self, value: int) -> int:
        """`value` after additions, unless a field overflowed."""
        if value & self.guards:
            raise FieldOverflow
        return value

    def support(self, value: int) -> list[int]:
        """The indices of the non-zero fields, in increasing order."""
        result, width = [], self.width
        while value:
            index = ((value & -value).bit_length() - 1) // width
            result.append(index)
            value &= -1 << (width * (index + 1))
        return result


class MinimalSet:
    """A growing set of packed vectors that answers "is some member below this vector?".

    A member is filed under one of its non-zero places, the least crowded; a query looks only at the files
    of its own non-zero places. `minimal` leaves out the members that later ones made redundant.
    """

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self._files: dict[int, list[int]] = {}
        self._members: set[int] = set()

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[int]:
        return iter(self._members)

    def __contains__(self, value: int) -> bool:
        return value in self._members

    def below(self, value: int, support: Iterable[int]) -> bool:
        """True when a member is at most `value`, whose non-zero fields are `support`."""
        if value in self._members:
            return True
        guards = self.packing.guards
        raised = value | guards
        for place in (-1, *support):
            for member in self._files.get(place, ()):
                if (raised - member) & guards == guards:
                    return True
        return False

    def add(self, value: int, support: Sequence[int]) -> None:
        """Add a vector whose non-zero fields are `support`."""
        home = min(support, key=lambda p: len(self._files.get(p, ())), default=-1)
        self._files.setdefault(home, []).append(value)
        self._members.add(value)

    def minimal(self) -> list[int]:
        """The members without those that are above others."""
        packing = self.packing
        kept = MinimalSet(packing)
        order = sorted(self._members, key=lambda v: sum(packing.unpack(v)))
        for value in order:
            support = packing.support(value)
            if not kept.below(value, support):
                kept.add(value, support)
        return list(kept)
