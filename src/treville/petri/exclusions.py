"""Small sets of places that are never marked together, found by mutual induction.

Candidates are all markings with one, two or (in a second round) three tokens that no initial marking
covers. A candidate survives while each of its predecessors is excluded: by a half space, or by a surviving
candidate below it. What survives is an inductive set of excluded boxes, which `backward` uses to prune:
flags of which exactly one holds, locks with their holders. Linear half spaces cannot see these where
transfers move "all tokens". Survivors remember who excludes their predecessors, so that a proof carries
only those it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import combinations

from treville.petri.net import UNBOUNDED, Problem
from treville.petri.packing import Packing
from treville.relations.graphs import reachable

Predecessors = Callable[[int, list[int]], Iterator[tuple[int, int]]]
Excluded = Callable[[int, list[int]], bool]

_MAX_CANDIDATES = 60_000


class Exclusions:
    """The surviving boxes (as packed minimal markings) with their reasons."""

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self.reasons: dict[int, set[int]] = {}
        self._files: dict[int, list[tuple[int, int]]] = {}  # place -> (support mask, marking)
        self.used: set[int] = set()

    def fill(self, survivors: dict[int, set[int]]) -> None:
        """Take over survivors, filed under their first place."""
        self.reasons = survivors
        self._files = {}
        for marking in survivors:
            support = self.packing.support(marking)
            mask = sum(1 << place for place in support)
            self._files.setdefault(support[0], []).append((mask, marking))

    def below(self, marking: int, support: list[int]) -> int | None:
        """A survivor below the marking, or None."""
        mask = sum(1 << place for place in support)
        for place in support:
            for needed, survivor in self._files.get(place, ()):
                if needed & mask == needed and self.packing.leq(survivor, marking):
                    return survivor
        return None

    def needed(self) -> list[int]:
        """The survivors that were used, with all that their own exclusion rests on."""
        return sorted(reachable(self.used, self.reasons.__getitem__))


def _candidates(problem: Problem, packing: Packing, size: int) -> Iterator[int]:
    """Markings with at most `size` tokens that no initial marking covers, smallest first."""
    high = problem.initial.high
    places = range(packing.count)
    yield from (packing.unit(p, 1) for p in places if high[p] < 1)
    yield from (packing.unit(p, 2) for p in places if high[p] < 2)
    for count in range(2, size + 1):
        for chosen in combinations(places, count):
            if any(high[p] == 0 for p in chosen):
                yield sum(packing.unit(p, 1) for p in chosen)


def find_exclusions(
    problem: Problem, packing: Packing, predecessors: Predecessors, excluded: Excluded, size: int
) -> Generator[None, None, Exclusions]:
    """The greatest inductive subset of the candidates of at most `size` tokens."""
    result = Exclusions(packing)
    before: dict[int, list[tuple[int, list[int]]]] = {}
    if _count(problem, size) > _MAX_CANDIDATES:
        return result
    for candidate in _candidates(problem, packing, size):
        support = packing.support(candidate)
        if excluded(candidate, support):
            continue
        before[candidate] = [
            (marking, places)
            for _, marking in predecessors(candidate, support)
            if not excluded(marking, places := packing.support(marking))
            and not packing.leq(candidate, marking)
        ]
        yield
    alive = dict.fromkeys(before)
    while True:
        result.fill({candidate: set() for candidate in alive})
        lost = []
        for number, candidate in enumerate(alive):
            reasons = result.reasons[candidate]
            for marking, places in before[candidate]:
                reason = result.below(marking, places)
                if reason is None:
                    lost.append(candidate)
                    break
                reasons.add(reason)
            if number % 8 == 0:
                yield
        if not lost:
            return result
        for candidate in lost:
            del alive[candidate]


def _count(problem: Problem, size: int) -> int:
    bounded = sum(1 for high in problem.initial.high if high != UNBOUNDED)
    places = len(problem.initial.high)
    return bounded * places if size < 3 else bounded * places * places // 6
