"""Formulas -> solutions by a SAT solver of python-sat, with clocks as bit-vectors.

As papers 000 (section 6) and 003 (section 5) have it: a clock has as many bits as its component of the graph
needs, and "less than" is a chain over the bits, needed in one direction only. glucose can be interrupted and
so keeps budgets of time; CaDiCaL cannot, and looks at the budget between calls only.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Timer
from typing import Any

from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.results import Budget, BudgetExceeded, InputError
from treville.results.errors import RAISE, Limit
from treville.solving.back_ends.clasp import OnSolution, Solver
from treville.solving.back_ends.clauses import Clauses, clauses_of

_INTERRUPTIBLE = "glucose4"


class SatSolver(Solver):
    """A back end for CNF with assumptions."""

    def __init__(
        self,
        formula: Formula,
        projected: Sequence[Literal] | None = None,
        engine: str = _INTERRUPTIBLE,
        any_fixpoint: bool = False,
    ) -> None:
        """With `projected`, solutions that agree on these literals count as one. `any_fixpoint`: see
        `clauses_of`."""
        try:
            from pysat.solvers import Solver as PySat
        except ImportError:
            hint = "pip install treville[sat]"
            raise InputError("the solver needs the package python-sat", hint=hint) from None
        self.engine = engine
        self.atoms = formula.atoms
        clauses = clauses_of(formula, any_fixpoint)
        expand_comparisons(clauses)
        self.clauses = clauses
        wanted = formula.all_atoms() if projected is None else map(abs, projected)
        self.projected = sorted({*wanted} - {TRUE} - clauses.larger)
        self._accumulated = {"conflicts": 0, "propagations": 0, "decisions": 0}
        self._solver: Any = PySat(name=engine, bootstrap_with=clauses.clauses)

    def size(self) -> tuple[int, int]:
        """Variables and clauses."""
        return self.clauses.variables, len(self.clauses.clauses)

    def counted(self) -> dict[str, int]:
        """What the solver counts."""
        counted = self._solver.accum_stats() or {}
        return {name: int(counted[name]) for name in self._accumulated if name in counted}

    def enumerate(self, budget: Budget, on_solution: OnSolution, assumptions: Sequence[Literal] = ()) -> None:
        """Call back for every solution until told to stop. Each is excluded by a clause under an assumption
        of this call, so that later calls see the formula as it was."""
        if FALSE in assumptions:
            return
        active = self.clauses.new()
        wanted = [active, *(literal for literal in assumptions if literal != TRUE)]
        while self._solve(budget, wanted):
            true = set(self._solver.get_model())
            if not on_solution(lambda literal, true=true: literal in true):  # type: ignore[misc]
                return
            blocking = [-atom if atom in true else atom for atom in self.projected]
            self._solver.add_clause([-active, *blocking])

    def _solve(self, budget: Budget, assumptions: list[Literal]) -> bool:
        budget.check()
        remaining = budget.remaining()
        if remaining is None or self.engine != _INTERRUPTIBLE:
            return bool(self._solver.solve(assumptions=assumptions))
        timer = Timer(max(remaining, 0.01), self._solver.interrupt)
        timer.start()
        try:
            answer = self._solver.solve_limited(assumptions=assumptions, expect_interrupt=True)
        finally:
            timer.cancel()
            self._solver.clear_interrupt()
        if answer is None:
            budget.check()
            raise BudgetExceeded("the SAT solver was interrupted", RAISE[Limit.TIME])
        return bool(answer)


def expand_comparisons(clauses: Clauses) -> None:
    """Comparisons of clocks -> clauses over their bits; equal comparisons share one variable."""
    bits: dict[int, list[Literal]] = {
        clock: [clauses.new() for _ in range(max(1, (count - 1).bit_length()))]
        for clock, count in clauses.clocks.items()
    }
    less: dict[tuple[int, int], Literal] = {}
    for condition, before, after in clauses.comparisons:
        literal = less.get((before, after))
        if literal is None:
            literal = less[before, after] = _less(clauses, bits[before], bits[after])
        if literal != condition:
            clauses.clauses.append([-condition, literal])
    clauses.comparisons.clear()


def _less(clauses: Clauses, left: list[Literal], right: list[Literal]) -> Literal:
    """A variable that implies that one number is less than another; the first bit is the lowest."""
    lower: Literal | None = None
    for one, other in zip(left, right, strict=True):
        literal = clauses.new()
        if lower is None:
            clauses.clauses += [[-literal, -one], [-literal, other]]
        else:
            clauses.clauses += [
                [-literal, -one, other],
                [-literal, -one, lower],
                [-literal, other, lower],
            ]
        lower = literal
    assert lower is not None
    return lower
