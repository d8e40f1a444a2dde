"""Backward search for monotone nets: which markings can cover a target? Pruned by linear invariants.

The classic algorithm keeps the minimal markings from which a target is coverable and adds predecessors
until nothing new appears. Predecessors that an oriented half space excludes cannot be reached and are
dropped at once, as in recent coverability tools: half spaces found so far are tried first, then the state
equation (`oriented.Separator`). At the end the half spaces and the minimal markings form an inductive
invariant. The paths found are firing sequences read backwards.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator

from treville.petri import work
from treville.petri.answers import Finding, FiringSequence, Invariant
from treville.petri.exclusions import Exclusions, find_exclusions
from treville.petri.halfspace import HalfSpace
from treville.petri.net import UNBOUNDED, Box, Net, Problem, Transition, Update
from treville.petri.oriented import Separator
from treville.petri.packing import FieldOverflow, MinimalSet, Packing
from treville.records import dataclass

Method = Generator[None, None, Finding]

# (size of the sets of exclusive places looked for next, rounds of search before that)
_STAGES = ((2, 600), (3, 3000))


@dataclass(slots=True)
class _PackedTransition:
    """A transition as packed vectors; `special` are updates that are not shifts of their own place."""

    index: int
    low: int
    plus: int
    minus: int
    cleared: int  # mask of the fields that updates overwrite
    special: list[tuple[int, Update]]
    gains: frozenset[int]  # places that may receive tokens


def _packed(index: int, transition: Transition, packing: Packing) -> _PackedTransition:
    low = sum(packing.unit(p, i.low) for p, i in transition.guard.items())
    plus = minus = cleared = 0
    special, gains = [], set()
    for place, update in transition.updates.items():
        if update.sources == (place,):
            plus += packing.unit(place, max(0, update.constant))
            minus += packing.unit(place, max(0, -update.constant))
            if update.constant > 0:
                gains.add(place)
        else:
            special.append((place, update))
            cleared |= packing.field << (packing.width * place)
            gains.add(place)
    return _PackedTransition(index, low, plus, minus, cleared, special, frozenset(gains))


class _Predecessors:
    """The minimal predecessors of packed markings."""

    def __init__(self, net: Net, packing: Packing) -> None:
        self.packing = packing
        self._gaining: dict[int, list[_PackedTransition]] = {}
        for index, transition in enumerate(net.transitions):
            packed = _packed(index, transition, packing)
            for place in packed.gains:
                self._gaining.setdefault(place, []).append(packed)

    def of(self, marking: int, support: list[int]) -> Iterator[tuple[int, int]]:
        """(transition, predecessor) pairs; transitions that only make the marking larger are left out."""
        seen: set[int] = set()
        for place in support:
            for transition in self._gaining.get(place, ()):
                if transition.index not in seen:
                    seen.add(transition.index)
                    for predecessor in self._through(transition, marking):
                        yield transition.index, predecessor

    def _through(self, transition: _PackedTransition, marking: int) -> Iterator[int]:
        packing = self.packing
        kept = marking & ~transition.cleared
        shifted = packing.checked(packing.maximum(kept, transition.plus) - transition.plus + transition.minus)
        if not transition.special:
            yield packing.maximum(shifted, transition.low)
            return
        demands = [(packing.at(marking, place) - u.constant, u.sources) for place, u in transition.special]
        if any(demand > 0 and not sources for demand, sources in demands):
            return
        yield from self._spread(packing.maximum(shifted, transition.low), demands, 0)

    def _spread(self, base: int, demands: list[tuple[int, tuple[int, ...]]], position: int) -> Iterator[int]:
        """Distribute each demanded sum over its sources in every minimal way."""
        while position < len(demands) and demands[position][0] <= 0:
            position += 1
        if position == len(demands):
            yield base
            return
        demand, sources = demands[position]
        for part in self._shares(demand, sources):
            yield from self._spread(self.packing.maximum(base, part), demands, position + 1)

    def _shares(self, demand: int, sources: tuple[int, ...]) -> Iterator[int]:
        """Packed vectors whose sum over `sources` (with multiplicity) is at least `demand`, minimally."""
        place = sources[0]
        times = sources.count(place)
        rest = tuple(source for source in sources if source != place)
        most = -(-demand // times)
        if not rest:
            yield self.packing.unit(place, most)
            return
        for share in range(most + 1):
            left = demand - share * times
            here = self.packing.unit(place, share)
            if left <= 0:
                yield here
            else:
                for other in self._shares(left, rest):
                    yield here + other


class _Pruner:
    """Drops packed markings that half spaces exclude, known ones first, then by the state equation."""

    # When fewer than one linear query in RARE succeeds, only one marking in RARE is asked about.
    RARE = 16

    def __init__(self, packing: Packing, separator: Separator) -> None:
        self.packing = packing
        self.separator = separator
        self.used: dict[HalfSpace, None] = {}
        self._known: list[tuple[dict[int, int], HalfSpace]] = []
        self._asked = self._successes = self._skipped = 0
        for half_space in separator.found:
            self._learn(half_space)

    def _learn(self, half_space: HalfSpace) -> None:
        if max(half_space.k) <= 0:
            weights = {place: -value for place, value in enumerate(half_space.k) if value}
            self._known.insert(0, (weights, half_space))

    def known(self, marking: int, support: list[int]) -> bool:
        """True when a half space found earlier excludes everything above `marking`."""
        numbers = [(p, self.packing.at(marking, p)) for p in support]
        for index, (weights, half_space) in enumerate(self._known):
            if sum(weights.get(p, 0) * n for p, n in numbers) > -half_space.c:
                if index:
                    self._known.insert(0, self._known.pop(index))
                self.used[half_space] = None
                return True
        return False

    def excluded(self, marking: int, support: list[int]) -> bool:
        """True when a half space that holds initially excludes everything above `marking`."""
        if self.known(marking, support):
            return True
        if self._asked > 4 * self.RARE and self._successes * self.RARE < self._asked:
            self._skipped += 1
            if self._skipped % self.RARE:
                return False
        return self._ask(marking)

    def _ask(self, marking: int) -> bool:
        self._asked += 1
        low = self.packing.unpack(marking)
        half_space = self.separator.search(Box(low, (UNBOUNDED,) * len(low)))
        if half_space is None:
            return False
        self._successes += 1
        self._learn(half_space)
        self.used[half_space] = None
        return True


def backward(problem: Problem, separator: Separator) -> Method:
    """Decide coverability of a monotone net; yields now and then, ends with a `Finding`."""
    largest = max(
        (
            *(n for box in (problem.initial, *problem.targets) for n in box.low),
            *(i.low for t in problem.net.transitions for i in t.guard.values()),
            *(abs(u.constant) for t in problem.net.transitions for u in t.updates.values()),
            *(int(n) for n in problem.initial.high if n != UNBOUNDED),
        ),
        default=1,
    )
    width = largest.bit_length() + 4
    while True:
        try:
            return (yield from _staged(problem, separator, Packing(len(problem.net.places), width)))
        except FieldOverflow:
            width *= 2


def _staged(problem: Problem, separator: Separator, packing: Packing) -> Method:
    """Search plainly for a while; then with sets of places that exclude each other, pairs before triples."""
    predecessors = _Predecessors(problem.net, packing)
    running = _search(problem, predecessors, _Pruner(packing, separator), Exclusions(packing))
    for size, rounds in _STAGES:
        for _ in range(rounds):
            try:
                next(running)
            except StopIteration as stop:
                finding: Finding = stop.value
                return finding
            yield
        pruner = _Pruner(packing, separator)
        exclusions = yield from find_exclusions(problem, packing, predecessors.of, pruner.known, size)
        if exclusions.reasons:
            running = _search(problem, predecessors, pruner, exclusions)
    return (yield from running)


def _search(problem: Problem, predecessors: _Predecessors, pruner: _Pruner, exclusions: Exclusions) -> Method:
    packing, budget = pruner.packing, pruner.separator.budget
    basis = MinimalSet(packing)
    highest = packing.pack([int(min(high, packing.limit)) for high in problem.initial.high])
    parents: dict[int, tuple[int, int] | None] = {}
    queue: list[tuple[int, int]] = []

    def consider(marking: int, parent: tuple[int, int] | None) -> bool:
        """Add a marking unless it is redundant or unreachable; True when it is covered initially."""
        budget.check()
        budget.spend(work.MARKING)
        support = packing.support(marking)
        if basis.below(marking, support):
            return False
        if (survivor := exclusions.below(marking, support)) is not None:
            exclusions.used.add(survivor)
            return False
        if pruner.excluded(marking, support):
            return False
        basis.add(marking, support)
        parents[marking] = parent
        heapq.heappush(queue, (sum(packing.at(marking, p) for p in support), marking))
        return packing.leq(marking, highest)

    for target in problem.targets:
        marking = packing.pack(target.low)
        if consider(marking, None):
            return Finding(_sequence(problem, packing, parents, marking))
        yield
    while queue:
        _, marking = heapq.heappop(queue)
        before = predecessors.of(marking, packing.support(marking))
        for number, (transition, predecessor) in enumerate(before, 1):
            if consider(predecessor, (transition, marking)):
                return Finding(_sequence(problem, packing, parents, predecessor))
            if number % 8 == 0:
                yield
        yield
    return Finding(_invariant(packing, basis, pruner, exclusions))


def _sequence(
    problem: Problem, packing: Packing, parents: dict[int, tuple[int, int] | None], marking: int
) -> FiringSequence:
    initial = tuple(map(max, problem.initial.low, packing.unpack(marking)))
    steps = []
    while (parent := parents[marking]) is not None:
        steps.append(parent[0])
        marking = parent[1]
    return FiringSequence(initial, tuple(steps))


def _invariant(packing: Packing, basis: MinimalSet, pruner: _Pruner, exclusions: Exclusions) -> Invariant:
    unbounded = (UNBOUNDED,) * packing.count
    markings = [*exclusions.needed(), *basis.minimal()]
    boxes = tuple(Box(packing.unpack(marking), unbounded) for marking in markings)
    return Invariant(tuple(pruner.used), boxes)
