"""Clauses -> solutions by CaDiCaL, a few thousand conflicts at a time, so that budgets are kept.

What was learnt stays from one question to the next, and questions come with assumptions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treville.formulas.formula import FALSE, TRUE, Literal
from treville.formulas.gates import Gates
from treville.results import Budget, InputError

# Conflicts between two looks at the budget: tenths of a second on large formulas (bench/sequentialise.py).
_AT_A_TIME = 2_000


class CaDiCaL:
    """A solver that holds the clauses of a formula."""

    def __init__(self, formula: Gates) -> None:
        try:
            from pysat.solvers import Solver as PySat
        except ImportError:
            hint = "pip install treville[sat]"
            raise InputError("the solver needs the package python-sat", hint=hint) from None
        clauses = formula.clauses()
        self.variables, self.clauses = formula.atoms, len(clauses)
        self.conflicts = 0
        self._solver: Any = PySat(name="cadical195", bootstrap_with=clauses)

    def solve(
        self, assumptions: Sequence[Literal], budget: Budget, effort: int | None = None
    ) -> Callable[[Literal], bool] | bool | None:
        """Which literals are true in a solution; False if there is none; None if so many conflicts did not
        tell. Raises `BudgetExceeded` and `OutOfWork`."""
        if FALSE in assumptions:
            return False
        wanted = [literal for literal in assumptions if literal != TRUE]
        spent = 0
        while effort is None or spent < effort:
            budget.check()
            self._solver.conf_budget(_AT_A_TIME if effort is None else min(_AT_A_TIME, effort - spent))
            answer = self._solver.solve_limited(assumptions=wanted)
            now = int(self._solver.accum_stats()["conflicts"]) - self.conflicts
            self.conflicts, spent = self.conflicts + now, spent + max(now, 1)
            budget.spend(now)
            if answer is False:
                return False
            if answer:
                true = set(self._solver.get_model())
                return lambda literal: literal == TRUE or literal in true
        return None

    def close(self) -> None:
        """Free what the solver holds."""
        self._solver.delete()
