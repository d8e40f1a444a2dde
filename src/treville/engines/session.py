"""An encoding in a solver, for many questions: which executions are there under these assumptions?

The engines that solve formulas ask through a session, and so does everything that has many questions about
one program: assumptions are literals of the encoding, and what the solver learnt is kept from one question to
the next. Axioms that were not encoded are enforced on the executions that the solver finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treville.encoding.acyclicity import Encoding
from treville.events.execution import Execution
from treville.formulas.formula import Literal
from treville.models.model import Axiom, Model
from treville.results import Budget, OutOfWork
from treville.solving.back_ends.by_name import BackEnd, make_solver
from treville.solving.back_ends.clasp import Clasp, OnSolution, Solver
from treville.solving.lazy.propagator import LazyModel
from treville.solving.solution import ExecutionReader, IsTrue

# Making so many rules, constraints and edges counts as much work as one conflict (bench/check.py).
_SIZE_OF_A_UNIT = 40


class Session:
    """The consistent executions of an encoding. Literals must be made before the first question is asked."""

    def __init__(
        self, encoding: Encoding, model: Model, axioms: Sequence[Axiom] | None = None, readable: bool = True
    ) -> None:
        """`axioms` are those that the formula holds already; None: all of them. Executions are read off
        solutions only if the session is `readable`: that needs a literal for every value."""
        left = [] if axioms is None else [axiom for axiom in model.axioms if axiom not in axioms]
        self.encoding = encoding
        self.model = model
        self._reader = ExecutionReader(encoding) if readable else None
        self.lazy = LazyModel(encoding, model) if left else None
        self._solver: Solver | None = None

    def open(
        self,
        back_end: BackEnd = BackEnd.CLASP,
        projected: Sequence[Literal] | None = None,
        rarely_restarts: bool = False,
    ) -> None:
        """Hand the formula to a solver: nothing may be added to it any more."""
        self._solver = make_solver(back_end, self.encoding.formula, projected, rarely_restarts)
        if self.lazy is not None:
            assert isinstance(self._solver, Clasp)
            self._solver.register(self.lazy)

    @property
    def reader(self) -> ExecutionReader:
        """Reads executions off solutions."""
        assert self._reader is not None, "the session is not readable"
        return self._reader

    @property
    def solver(self) -> Solver:
        """Who solves; the first question opens a session that is not open yet."""
        if self._solver is None:
            self.open()
        assert self._solver is not None
        return self._solver

    def ask(self, assumptions: Sequence[Literal], budget: Budget) -> Execution | None:
        """An execution under the assumptions, or None if there is none."""
        found: list[Execution] = []

        def on_solution(is_true: IsTrue) -> bool:
            found.append(self.reader.execution(is_true))
            return False

        self.look(assumptions, on_solution, budget)
        return found[0] if found else None

    def look(
        self,
        assumptions: Sequence[Literal],
        on_solution: OnSolution,
        budget: Budget,
        effort: int | None = None,
    ) -> bool:
        """Hand over solutions until told to stop; False if `effort` conflicts were not enough to know them
        all. Raises `OutOfWork` when the units of the budget were not."""
        left = budget.units_left
        limited = effort if left is None else left if effort is None else min(left, effort)
        if limited is not None and limited <= 0:
            raise OutOfWork("no conflicts are left to spend")
        finished = self.solver.look(budget, on_solution, assumptions, limited)
        budget.spent += self.solver.last_conflicts()
        if not finished and budget.units_left == 0:
            raise OutOfWork("no conflicts are left to spend")
        return finished

    def exists(self, assumptions: Sequence[Literal], budget: Budget) -> bool:
        """Is there an execution under the assumptions?"""
        found: list[bool] = []

        def on_solution(_is_true: IsTrue) -> bool:
            found.append(True)
            return False

        self.look(assumptions, on_solution, budget)
        return bool(found)

    def stats(self) -> dict[str, Any]:
        """What was built; of encodings and solvers other than the default also the search."""
        encoding, facts = self.encoding, self.encoding.facts
        formula = encoding.formula
        stats: dict[str, Any] = {
            "threads": len(facts.symbolic.thread_names),
            "events": facts.live.bit_count(),
        }
        by_relation = encoding.by_relation()
        if by_relation is not None or not isinstance(self.solver, Clasp):
            variables, constraints = self.solver.size() or (formula.atoms, formula.size())
            stats.update(variables=variables, constraints=constraints)
            stats.update({f"constraints of {name}": n for name, n in (by_relation or {}).items()})
            return {**stats, **self.solver.counted()}
        stats.update(
            rf=len(facts.relations["rf"].may),
            co=len(facts.relations["co"].may),
            atoms=formula.atoms,
            rules=len(formula.rules),
            constraints=len(formula.forbidden),
            edges=len(formula.edges),
            relations=encoding.relations.sizes() if encoding.relations else {},
        )
        if self.lazy is not None:
            stats.update(iterations=self.lazy.checks, reasons=self.lazy.clauses)
        return stats


def size_in_units(encoding: Encoding) -> int:
    """How much work it was to make a formula."""
    return encoding.formula.size() // _SIZE_OF_A_UNIT
