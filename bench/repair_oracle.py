"""The cost of repairs by brute force: an oracle for `bench/repair.py`.

It has the sites and the costs of `treville repair` and nothing of its search. Placements are tried in the
order of their cost; levels of which a compiler makes the same code are tried once. With `skipping`, a
placement that is wrong is raised, site by site, as long as it stays wrong, and what is no stronger than a
wrong placement is not tried: more order never makes a right program wrong.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from treville.passes.program import Context
from treville.questions.reachability import reachability
from treville.questions.repair.c_program import CSubject
from treville.questions.repair.c_skeleton import Applied
from treville.questions.repair.costs import Costs, read_costs
from treville.questions.repair.sites import Assignment, Site, present, with_levels
from treville.questions.repair.subject import Subject
from treville.results import Budget, Verdict

Ranks = tuple[int, ...]
"""For each site that can be raised the number of one of its options; 0 is the source as it is."""
IsRight = Callable[[Assignment], bool | None]
"""Does the property hold under an assignment? None: that is not known."""


def as_text(subject: Subject, context: Context) -> IsRight:
    """Asks about the changed files, read from the beginning."""

    def is_right(assignment: Assignment) -> bool | None:
        texts = subject.patched(assignment)
        return _decided(subject.confirm(texts, context.model, Budget()).verdict)

    return is_right


def as_program(subject: CSubject, context: Context) -> IsRight:
    """Asks about the program that was compiled once; tests compare it with what text becomes."""

    def is_right(assignment: Assignment) -> bool | None:
        source = Applied(subject.skeleton, subject.sites, assignment, marked=False)
        return _decided(reachability(source, context, None, Budget(), "auto").verdict)

    return is_right


def _decided(verdict: Verdict) -> bool | None:
    return None if verdict is Verdict.UNKNOWN else verdict is Verdict.PASS


@dataclass(slots=True)
class Answer:
    """What the cheapest right placement costs, or what it costs at least; `asked` placements were tried."""

    cost: int | None
    least: int = 0
    asked: int = 0

    def __str__(self) -> str:
        return f">={self.least}" if self.cost is None else str(self.cost)


class Placements:
    """All ways to raise the sites of a source, and what they cost under a model."""

    def __init__(self, subject: Subject, context: Context, is_right: IsRight) -> None:
        self.subject = subject
        self.is_right = is_right
        self.start = present(subject.sites)
        costs = Costs(read_costs(), [context])
        raised = [(site, _options(site, costs)) for site in subject.sites if site.number in subject.usable]
        self.sites = [site for site, options in raised if len(options) > 1]
        self.options = [options for _, options in raised if len(options) > 1]
        self.prices = [
            [costs.extra(site, level) for level in options]
            for site, options in zip(self.sites, self.options, strict=True)
        ]

    def cheapest(self, seconds: float, skipping: bool = False) -> Answer:
        """The first placement that is right, in the order of cost."""
        ended = time.process_time() + seconds
        answer, wrong = Answer(None), list[int]()
        for cost, ranks in by_cost(self.prices):
            answer.least = cost
            if any(not self._mask(ranks) & ~covered for covered in wrong):
                continue
            right = self._ask(ranks, answer)
            if right is None or time.process_time() > ended:
                return answer
            if right:
                answer.cost = cost
                return answer
            if skipping:
                wrong.append(self._covered(self._grown(ranks, answer)))
        return answer

    def singles(self) -> Iterator[tuple[Site, int, int, bool | None]]:
        """Every change of one site: its level, its cost, and whether it is enough."""
        for at, site in enumerate(self.sites):
            for rank in range(1, len(self.options[at])):
                ranks = tuple(rank * (at == other) for other in range(len(self.sites)))
                right = self.is_right(self._assignment(ranks))
                yield site, self.options[at][rank], self.prices[at][rank], right

    def _ask(self, ranks: Ranks, answer: Answer) -> bool | None:
        answer.asked += 1
        return self.is_right(self._assignment(ranks))

    def _assignment(self, ranks: Ranks) -> Assignment:
        chosen = zip(self.sites, self.options, ranks, strict=True)
        return with_levels(self.start, {site.number: options[rank] for site, options, rank in chosen})

    # -- what is known to be wrong -------------------------------------------------------------------------

    def _grown(self, ranks: Ranks, answer: Answer) -> Ranks:
        """A wrong placement, raised as far as it stays wrong."""
        for at, options in enumerate(self.options):
            for rank in sorted(range(len(options)), key=lambda k: self._strength(at, k), reverse=True):
                higher = (*ranks[:at], rank, *ranks[at + 1 :])
                if rank == ranks[at] or not self._at_most(at, ranks[at], rank):
                    continue
                if self._ask(higher, answer) is False:
                    ranks = higher
                    break
        return ranks

    def _strength(self, at: int, rank: int) -> int:
        return len(self.sites[at].levels[self.options[at][rank]].strength)

    def _at_most(self, at: int, rank: int, other: int) -> bool:
        levels, options = self.sites[at].levels, self.options[at]
        return levels[options[rank]].at_most(levels[options[other]])

    def _mask(self, ranks: Ranks) -> int:
        """A bit for each site that is raised and its rank."""
        return sum(1 << 16 * at + rank for at, rank in enumerate(ranks) if rank)

    def _covered(self, ranks: Ranks) -> int:
        """The bits of all placements that are no stronger."""
        return sum(
            1 << 16 * at + rank
            for at, top in enumerate(ranks)
            for rank in range(len(self.options[at]))
            if self._at_most(at, rank, top)
        )


def _options(site: Site, costs: Costs) -> list[int]:
    """The level that a site has and stronger ones, the weakest first, as far as compilers tell them apart."""
    found: dict[object, int] = {}
    for level in (site.present, *reversed(site.upwards(site.present))):
        found.setdefault(costs.code(site, level), level)
    return list(found.values())


def by_cost(prices: Sequence[Sequence[int]]) -> Iterator[tuple[int, Ranks]]:
    """All choices of one number from each list, in the order of their sums."""
    order = [sorted(range(len(each)), key=each.__getitem__) for each in prices]
    first = tuple(0 for _ in prices)

    def cost(ranks: Ranks) -> int:
        return sum(each[o[r]] for each, o, r in zip(prices, order, ranks, strict=True))

    heap = [(cost(first), first)]
    while heap:
        total, ranks = heapq.heappop(heap)
        yield total, tuple(o[r] for o, r in zip(order, ranks, strict=True))
        last = max((k for k, rank in enumerate(ranks) if rank), default=0)
        for k in range(last, len(ranks)):  # each choice is made once: ranks grow from left to right
            if ranks[k] + 1 < len(order[k]):
                following = (*ranks[:k], ranks[k] + 1, *ranks[k + 1 :])
                heapq.heappush(heap, (cost(following), following))
