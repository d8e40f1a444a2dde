"""Views as ints: how far a thread knows the writes of every cell.

Each cell has a lane of `width` bits. A view that knows the writes of a cell up to number n (0 is the first
one that anybody can still read) has the n lowest bits of the lane set. So the union of two views is `|`,
what all of several views know is `&`, and `b & ~a == 0` says that view a knows all that b knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from treville.machines.states import TooManyStates

_MOST_LANES = 600

Change: TypeAlias = Callable[[int], int]


class LaneOverflow(Exception):
    """A cell has more writes that somebody may read than its lane has bits."""


class Lanes:
    """Which lane belongs to what: an address, or (a negative key) something that is counted. The negated
    start of an object is the key of its beginning, which is known or not."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.ones = (1 << width) - 1
        self.keys: list[int] = []
        self._numbers: dict[int, int] = {}
        self.get = self._numbers.get

    def number(self, key: int) -> int:
        """The number of the lane."""
        found = self._numbers.get(key)
        if found is None:
            if len(self.keys) >= _MOST_LANES:
                raise TooManyStates("too many cells")
            found = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return found

    def all(self) -> int:
        """All bits of all lanes."""
        return (1 << len(self.keys) * self.width) - 1

    def lane(self, number: int) -> int:
        """All bits of a lane."""
        return self.ones << number * self.width

    def rank(self, view: int, number: int) -> int:
        """How far a view knows a lane."""
        return (view >> number * self.width & self.ones).bit_length()

    def upto(self, number: int, rank: int) -> int:
        """The view that knows one lane so far, and nothing else."""
        if rank > self.width:
            raise LaneOverflow
        return ((1 << rank) - 1) << number * self.width

    def insertion(self, number: int, rank: int) -> Change:
        """What becomes of views when a new write comes before the one that had the rank."""
        shift, ones, last = number * self.width, self.ones, self.width - 1

        def inserted(view: int) -> int:
            lane = view >> shift & ones
            if not lane >> rank - 1 & 1:
                return view
            if lane >> last:
                raise LaneOverflow
            return view & ~(ones << shift) | (lane << 1 | 1) << shift

        return inserted

    def forgetting(self, floor: int) -> tuple[list[tuple[int, int]], Change]:
        """How many writes of which lanes nobody needs who knows as much as the floor, and what becomes of
        views without them. Lanes that are forgotten as a whole become 0."""
        forgotten, touched, rest, shift = [], 0, floor, 0
        while rest:
            lane = rest & self.ones
            if lane:
                forgotten.append((shift // self.width, lane.bit_length()))
                touched |= self.ones << shift
            rest >>= self.width
            shift += self.width
        steps = [(number * self.width, count) for number, count in forgotten]
        ones = self.ones

        def lowered(view: int) -> int:
            if not view & touched:
                return view
            kept = view & ~touched
            for at, count in steps:
                kept |= (view >> at & ones) >> count << at
            return kept

        return forgotten, lowered
