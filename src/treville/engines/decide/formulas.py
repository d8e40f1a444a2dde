"""Formulas at growing bounds: unroll, events, analysis, encoding, solving (paper 004, chapter 4).

Threads that are cut at the loop bound, wait or are stopped do not keep others from failing. Where nothing
fails, a second question asks whether some execution is cut at the bound: only if none is, the answer holds
for all runs; otherwise what was cut is unrolled further. Encodings and solvers differ in how facts become a
session, and in nothing else: see `acyclicity` and `partial_orders`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from treville.engines.contract import Decision, Engine, Failure, GaveUp, Proved, Refuted
from treville.engines.depth import Depth
from treville.engines.task import ProgramTask
from treville.records import replace
from treville.results import Budget
from treville.solving.back_ends.by_name import BackEnd

if TYPE_CHECKING:
    from treville.analysis.facts import Facts
    from treville.engines.decide.at_bound import SearchAtBound
    from treville.engines.decide.violation_search import Found
    from treville.engines.session import Session

# Conflicts, at a bound that is not the last one (bench/check.py structures).
FIRST_EFFORT = 5_000
# Where all searches so far took less work, deeper bounds than the usual ones are tried (bench/check.py).
CHEAP = 30_000


class Formulas(Engine[ProgramTask, Decision]):
    """Searches at growing bounds; subclasses make sessions of facts."""

    def __init__(self, back_end: BackEnd = BackEnd.CLASP) -> None:
        self.back_end = back_end
        self._depth: Depth | None = None
        self._effort: int | None = None
        self._work = 0
        self._search: SearchAtBound | None = None

    @abstractmethod
    def session(self, task: ProgramTask, facts: Facts, budget: Budget) -> Session:
        """The consistent executions of a program at a bound, for as many questions as one likes."""

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Search at the present depth, and at larger ones until the answer is conclusive. Where a deeper
        search has to follow, one that takes long is given up; the last one is not."""
        try:
            return self._deepened(task, budget)
        finally:
            self._work += budget.spent

    def _deepened(self, task: ProgramTask, budget: Budget) -> Decision:
        depth = self._begin(task)
        while True:
            budget.bound = depth.deepest
            budget.check()
            search = self._search = self._search or self._at(task, depth)
            found = search.run(budget, self._effort)
            decision = _decided(search, depth.deepest, found)
            if not isinstance(decision, GaveUp):
                return decision
            depth.cheap = self._work + budget.spent < CHEAP
            deeper = depth.deepen(found.cut, task.program.loop_bounds)
            self._search = None
            if not deeper and not found.given_up:
                return decision
            self._effort = None if task.bound or not deeper or not self._effort else 2 * self._effort

    def _begin(self, task: ProgramTask) -> Depth:
        if self._depth is None:
            self._depth = Depth(task.bound)
            last = task.bound is not None and self._depth.bound >= task.bound
            self._effort = None if last else FIRST_EFFORT
        return self._depth

    def _at(self, task: ProgramTask, depth: Depth) -> SearchAtBound:
        from treville.engines.decide.at_bound import SearchAtBound

        with task.budget.stage("front end"):
            given = task.with_recursion(depth.recursion)
        deep = replace(given, program=depth.apply(given.program))
        return SearchAtBound(deep, depth.bound, self.session, self.back_end)


def _decided(search: SearchAtBound, bound: int, found: Found) -> Decision:
    stats = search.session.stats()
    if found.execution is not None:
        failure = Failure(
            search.program,
            tuple(search.session.encoding.facts.symbolic.thread_names),
            tuple(found.failed),
            found.message,
            tuple(found.waiting),
        )
        return Refuted(found.execution, failure, bound, stats)
    if found.complete:
        return Proved(bound, stats)
    if found.spoilt:
        reason = "some runs use memory as they may not, and what follows in them has no meaning"
        return GaveUp(reason, "ask for --property memory", stats=stats)
    return GaveUp(
        "something was cut at the bound", "raise --bound", bound=bound, cut=tuple(found.cut), stats=stats
    )
