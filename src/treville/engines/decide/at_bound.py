"""The search for a violation at one bound: facts, session, questions. It goes on after it ran out of work.

Fresh memory is zero until an execution is found that reads it; only then its cells get any numbers, which
costs more (`passes.fresh_memory`).
"""

from __future__ import annotations

from collections.abc import Callable

from treville.analysis.facts import Facts
from treville.engines.decide.violation_search import Found, ReadsUnset, ViolationSearch
from treville.engines.session import Session, size_in_units
from treville.engines.task import ProgramTask
from treville.models.implied import implies_coherence
from treville.passes.bounded import facts_of_program
from treville.passes.fresh_memory import UnsetRead, fresh_cells, unset_reads, with_any_contents
from treville.programs.ir import Program
from treville.results import Budget, TooLarge, Unsupported
from treville.solving.back_ends.by_name import BackEnd

MakeSession = Callable[[ProgramTask, Facts, Budget], Session]


class SearchAtBound:
    """Looks for a violation of a program whose loops are bounded; `program` is what was searched last."""

    def __init__(self, task: ProgramTask, bound: int, make: MakeSession, back_end: BackEnd) -> None:
        self.task = task
        self.bound = bound
        self.program = task.program
        self._make = make
        self._back_end = back_end
        self._facts: Facts | None = None
        self._unset: list[UnsetRead] = []
        self._zeroed: ViolationSearch | None = None
        self._filled: ViolationSearch | None = None
        self._refuting: ViolationSearch | None = None
        self._unfilled: Unsupported | TooLarge | None = None  # why fresh memory cannot hold just anything
        self._reads_unset = False

    @property
    def session(self) -> Session:
        """The session of the last search."""
        last = self._refuting or self._filled or self._zeroed
        assert last is not None
        return last.session

    def run(self, budget: Budget, effort: int | None) -> Found:
        """Search; `effort`: see `ViolationSearch.run`."""
        if self._zeroed is None:
            self._facts = self._facts_of(self.program, budget)
            self._unset = unset_reads(self._facts)
            self._zeroed = self._search(self._facts, self._unset, budget)
            budget.spend(size_in_units(self._zeroed.session.encoding))
        if not self._reads_unset:
            try:
                with budget.stage("solving"):
                    return self._zeroed.run(budget, effort)
            except ReadsUnset:
                self._reads_unset = True
        return self._with_any_contents(budget, effort)

    def _with_any_contents(self, budget: Budget, effort: int | None) -> Found:
        assert self._facts is not None
        if self._unfilled is not None:
            return self._with_zeros(self._unfilled, budget)
        try:
            if self._filled is None:
                self.program = with_any_contents(self.task.program, fresh_cells(self._facts, self._unset))
                self._filled = self._search(self._facts_of(self.program, budget), [], budget)
                budget.spend(size_in_units(self._filled.session.encoding))
            with budget.stage("solving"):
                return self._filled.run(budget, effort)
        except (Unsupported, TooLarge) as error:  # any number as an address, for one
            self._unfilled = error
        return self._with_zeros(self._unfilled, budget)

    def _with_zeros(self, why: Unsupported | TooLarge, budget: Budget) -> Found:
        """Zero is a number that fresh memory may hold: it can refute, and never proves."""
        assert self._facts is not None
        self.program = self.task.program
        if self._refuting is None:
            self._refuting = self._search(self._facts, [], budget)
        found = self._refuting.run(budget, None)
        if found.execution is None:
            raise why
        return found

    def _facts_of(self, program: Program, budget: Budget) -> Facts:
        coherent = implies_coherence(self.task.model)
        return facts_of_program(program, self.bound, budget, coherent, self.task.alias)

    def _search(self, facts: Facts, unset: list[UnsetRead], budget: Budget) -> ViolationSearch:
        session = self._make(self.task, facts, budget)
        with budget.stage("solving"):
            return ViolationSearch(session, self.task.property, unset, self._back_end)
