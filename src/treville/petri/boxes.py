"""Backward search over boxes: zero tests, upper guards, and targets that are single markings.

The preimage of a box under any transition is a finite union of boxes, so the search stays exact where
monotone reasoning does not apply; it need not end. It is pruned like `backward`, and its result is the
same kind of invariant: outside all boxes, inside the half spaces.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator

from treville.petri import work
from treville.petri.answers import Finding, FiringSequence, Invariant
from treville.petri.halfspace import HalfSpace
from treville.petri.net import UNBOUNDED, Bound, Box, Marking, Problem, Transition
from treville.petri.oriented import Separator
from treville.petri.packing import FieldOverflow, MinimalSet, Packing

Method = Generator[None, None, Finding]

_Intervals = dict[int, tuple[int, Bound]]


def preimages(transition: Transition, box: Box) -> Iterator[Box]:
    """Boxes whose union is exactly the markings that enable `transition` and fire into `box`."""
    intervals: _Intervals = {}
    for place, (low, high) in enumerate(zip(box.low, box.high, strict=True)):
        update = transition.updates.get(place)
        guard_low, guard_high = transition.low(place), transition.high(place)
        if update is None:
            intervals[place] = (max(low, guard_low), min(high, guard_high))
        elif update.sources == (place,):
            low, high = low - update.constant, high - update.constant
            intervals[place] = (max(low, guard_low), min(high, guard_high))
        else:
            intervals[place] = (guard_low, guard_high)
    if any(low > high for low, high in intervals.values()):
        return
    sums = [
        (update.sources, box.low[place] - update.constant, box.high[place] - update.constant)
        for place, update in transition.updates.items()
        if update.sources != (place,)
    ]
    for narrowed in _narrow(intervals, sums, 0):
        places = range(len(box.low))
        yield Box(tuple(narrowed[p][0] for p in places), tuple(narrowed[p][1] for p in places))


def _narrow(
    intervals: _Intervals, sums: list[tuple[tuple[int, ...], int, Bound]], position: int
) -> Iterator[_Intervals]:
    """Split intervals until every sum of sources lies in its range."""
    if position == len(sums):
        yield intervals
        return
    sources, low, high = sums[position]
    for narrowed in _within(intervals, tuple(sorted(set(sources))), sources, low, high):
        yield from _narrow(narrowed, sums, position + 1)


def _within(
    intervals: _Intervals, places: tuple[int, ...], sources: tuple[int, ...], low: int, high: Bound
) -> Iterator[_Intervals]:
    """Sub-boxes with low <= sum of sources <= high, splitting on one place after the other."""
    least = sum(intervals[p][0] * sources.count(p) for p in places)
    most = sum(intervals[p][1] * sources.count(p) for p in places)
    if least > high or most < low:
        return
    if least >= low and most <= high:
        yield intervals
        return
    place, rest = places[0], places[1:]
    times = sources.count(place)
    start, end = intervals[place]
    for value_low, value_high in _pieces(start, end, times, (low, high), least - start * times, bool(rest)):
        piece = {**intervals, place: (value_low, value_high)}
        used = value_low * times
        if rest:
            yield from _within(piece, rest, sources, low - used, high - used)
        else:
            yield piece


def _pieces(
    start: int, end: Bound, times: int, needed: tuple[int, Bound], others: int, more: bool
) -> Iterator[tuple[int, Bound]]:
    """Ranges of one summand; `others` is the least sum of the summands still to come (`more`)."""
    low, high = needed
    if high == UNBOUNDED:
        # More tokens never hurt, so the ranges stay open; from `enough` on, the others do not matter.
        enough = max(start, -(-(low - others) // times))
        first = start if more else enough
        yield from ((value, end) for value in range(first, int(min(enough, end)) + 1))
        return
    last = int(min(end, (high - others) // times))
    if more:
        yield from ((value, value) for value in range(start, last + 1))
        return
    first = max(start, -(-low // times))
    if first <= last:
        yield first, last


class _BoxSet:
    """Boxes seen so far; packs ends so that inclusion is one vector comparison.

    A box becomes its lower ends followed by how far each upper end lies below a common top (zero when it
    is unbounded): then a box includes another exactly when its vector is below the other's.
    """

    def __init__(self, count: int, top: int) -> None:
        self.packing = Packing(2 * count, top.bit_length() + 1)
        self._set = MinimalSet(self.packing)
        self.boxes: list[Box] = []

    def add(self, box: Box) -> bool:
        """Add a box; False when one seen before includes it."""
        limit = self.packing.limit
        depths = [0 if high == UNBOUNDED else limit - int(high) for high in box.high]
        if any(depth <= 0 and high != UNBOUNDED for depth, high in zip(depths, box.high, strict=True)):
            raise FieldOverflow
        vector = self.packing.pack([*box.low, *depths])
        support = self.packing.support(vector)
        if self._set.below(vector, support):
            return False
        self._set.add(vector, support)
        self.boxes.append(box)
        return True


def backward_boxes(problem: Problem, separator: Separator) -> Method:
    """Search backwards from the target boxes; exact for every net, but it may not end."""
    finite = [
        int(h) for b in (problem.initial, *problem.targets) for h in (*b.low, *b.high) if h != UNBOUNDED
    ]
    top = 1 << (max(finite, default=1).bit_length() + 8)
    while True:
        try:
            return (yield from _search(problem, separator, top))
        except FieldOverflow:
            top **= 2


def _search(problem: Problem, separator: Separator, top: int) -> Method:
    seen = _BoxSet(len(problem.net.places), top)
    parents: dict[Box, tuple[int, Box] | None] = {}
    queue: list[tuple[int, int, Box]] = []
    used: dict[HalfSpace, None] = {}

    def consider(box: Box, parent: tuple[int, Box] | None) -> Box | None:
        separator.budget.check()
        separator.budget.spend(work.MARKING)
        half_space = separator.separate(box)
        if half_space is not None:
            used[half_space] = None
            return None
        if not seen.add(box):
            return None
        parents[box] = parent
        heapq.heappush(queue, (sum(box.low), len(parents), box))
        return box.meet(problem.initial)

    for target in problem.targets:
        if common := consider(target, None):
            return Finding(_sequence(parents, target, common.low))
        yield
    while queue:
        _, _, box = heapq.heappop(queue)
        for index, transition in enumerate(problem.net.transitions):
            for number, predecessor in enumerate(preimages(transition, box), 1):
                if common := consider(predecessor, (index, box)):
                    return Finding(_sequence(parents, predecessor, common.low))
                if number % 8 == 0:
                    yield
            yield
    return Finding(Invariant(tuple(used), tuple(seen.boxes)))


def _sequence(parents: dict[Box, tuple[int, Box] | None], box: Box, initial: Marking) -> FiringSequence:
    steps = []
    while (parent := parents[box]) is not None:
        steps.append(parent[0])
        box = parent[1]
    return FiringSequence(initial, tuple(steps))
