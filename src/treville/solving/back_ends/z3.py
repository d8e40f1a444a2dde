"""Formulas -> solutions by z3, with clocks as integers and difference logic between them (paper 000)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.results import Budget, BudgetExceeded, InputError
from treville.results.errors import RAISE, Limit
from treville.solving.back_ends.clasp import OnSolution, Solver
from treville.solving.back_ends.clauses import Clauses, clauses_of

_MILLISECONDS = 1000


def smt_text(clauses: Clauses) -> str:
    """The clauses and comparisons in SMT-LIB, which z3 reads ten times as fast as it builds terms."""

    def shown(literal: Literal) -> str:
        return f"v{literal}" if literal > 0 else f"(not v{-literal})"

    lines = [f"(declare-const v{number} Bool)" for number in range(1, clauses.variables + 1)]
    lines += [f"(declare-const clock{clock} Int)" for clock in clauses.clocks]
    lines += [f"(assert (or false {' '.join(map(shown, clause))}))" for clause in clauses.clauses]
    lines += [
        f"(assert (=> {shown(condition)} (< clock{before} clock{after})))"
        for condition, before, after in clauses.comparisons
    ]
    return "\n".join(lines)


class Z3(Solver):
    """A back end for clauses and integers."""

    def __init__(
        self, formula: Formula, projected: Sequence[Literal] | None = None, any_fixpoint: bool = False
    ) -> None:
        """With `projected`, solutions that agree on these literals count as one. `any_fixpoint`: see
        `clauses_of`."""
        try:
            import z3
        except ImportError:
            hint = "pip install treville[z3]"
            raise InputError("the solver needs the package z3-solver", hint=hint) from None
        self.z3: Any = z3
        self.clauses = clauses_of(formula, any_fixpoint)
        self.variables: list[Any] = [None, *(z3.Bool(f"v{i}") for i in range(1, self.clauses.variables + 1))]
        self.solver: Any = z3.SolverFor("QF_IDL")
        self.solver.from_string(smt_text(self.clauses))
        wanted = formula.all_atoms() if projected is None else map(abs, projected)
        self.projected = sorted({*wanted} - {TRUE} - self.clauses.larger)
        self._counted = {"conflicts": 0, "propagations": 0, "decisions": 0}

    def _literal(self, literal: Literal) -> Any:
        return self.variables[literal] if literal > 0 else self.z3.Not(self.variables[-literal])

    def size(self) -> tuple[int, int]:
        """Variables (clocks included) and constraints."""
        clauses = self.clauses
        return (
            clauses.variables + len(clauses.clocks),
            len(clauses.clauses) + len(clauses.comparisons),
        )

    def counted(self) -> dict[str, int]:
        """What z3 counts, over all calls."""
        return {name: number for name, number in self._counted.items() if number}

    def enumerate(self, budget: Budget, on_solution: OnSolution, assumptions: Sequence[Literal] = ()) -> None:
        """Call back for every solution until told to stop."""
        if FALSE in assumptions:
            return
        wanted = [self._literal(literal) for literal in assumptions if literal != TRUE]
        self.solver.push()
        try:
            while self._solve(budget, wanted):
                model = self.solver.model()
                if not on_solution(lambda literal, model=model: self._holds(model, literal)):  # type: ignore[misc]
                    return
                self.solver.add(
                    self.z3.Or(
                        [
                            self._literal(-atom if self._holds(model, atom) else atom)
                            for atom in self.projected
                        ]
                    )
                )
        finally:
            self.solver.pop()

    def _holds(self, model: Any, literal: Literal) -> bool:
        value = self.z3.is_true(model.eval(self.variables[abs(literal)], model_completion=True))
        return value if literal > 0 else not value

    def _solve(self, budget: Budget, assumptions: list[Any]) -> bool:
        budget.check()
        remaining = budget.remaining()
        if remaining is not None:
            self.solver.set("timeout", max(1, int(remaining * _MILLISECONDS)))
        answer = self.solver.check(*assumptions)
        self._count()
        if answer == self.z3.unknown:
            budget.check()
            raise BudgetExceeded(f"z3 gave up: {self.solver.reason_unknown()}", RAISE[Limit.TIME])
        return bool(answer == self.z3.sat)

    def _count(self) -> None:
        statistics = self.solver.statistics()
        for key in statistics.keys():  # noqa: SIM118 (no mapping)
            for name in self._counted:
                if key.endswith(name):
                    self._counted[name] = max(self._counted[name], int(statistics.get_key_value(key)))
