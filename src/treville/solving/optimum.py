"""Formulas with costs: the cheapest solution, and constraints that are added as one goes.

clasp's core-guided optimisation; what it learns is kept from one question to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treville.formulas.formula import Formula, Literal
from treville.results import Budget, BudgetExceeded
from treville.solving.back_ends.clasp import hand_over

_LOOK_EVERY = 0.25


class Optimum:
    """A solver for one formula whose atoms have costs. At most `most` of `counted` are true, if given."""

    def __init__(
        self,
        formula: Formula,
        costs: Mapping[Literal, int],
        counted: Sequence[Literal] = (),
        most: int | None = None,
        strategy: str = "usc",
    ) -> None:
        import clingo

        self.control = clingo.Control(
            ["--warn=none", "--models=0", f"--opt-strategy={strategy}", "--sign-def=neg"],
            logger=lambda *_: None,
        )
        with self.control.backend() as backend:
            hand_over(formula, backend, Budget())
            if costs:
                backend.add_minimize(0, [(literal, cost) for literal, cost in costs.items()])
            if most is not None:
                backend.add_weight_rule([], most + 1, [(literal, 1) for literal in counted])

    def atoms(self, number: int) -> list[Literal]:
        """New free atoms."""
        with self.control.backend() as backend:
            made = [Literal(backend.add_atom()) for _ in range(number)]
            backend.add_rule(made, [], True)
        return made

    def forbid(self, bodies: Sequence[Sequence[Literal]]) -> None:
        """None of the bodies holds as a whole, from now on."""
        with self.control.backend() as backend:
            for body in bodies:
                backend.add_rule([], list(body))

    def best(
        self,
        among: Sequence[Literal],
        budget: Budget,
        assumptions: Sequence[Literal] = (),
        effort: int | None = None,
    ) -> set[Literal] | None:
        """Those of the atoms that are true in a cheapest solution, or None where there is no solution; `core`
        tells then which assumptions contradict each other. With an `effort` of so many conflicts that do not
        suffice it is any solution; with 0 nothing is compared. `optimal` tells afterwards."""
        self.optimal = False
        if effort != 0:
            self.optimal, found = self._ask(among, budget, assumptions, effort, optimal=True)
            if self.optimal or found is not None:
                return found
        return self._ask(among, budget, assumptions, None, optimal=False)[1]

    def _ask(
        self,
        among: Sequence[Literal],
        budget: Budget,
        assumptions: Sequence[Literal],
        effort: int | None,
        optimal: bool,
    ) -> tuple[bool, set[Literal] | None]:
        """Whether the question was answered, and the last solution."""
        solve: Any = self.control.configuration.solve
        solve.opt_mode = "opt" if optimal else "ignore"
        solve.models = 0 if optimal else 1
        solve.solve_limit = "umax,umax" if effort is None else f"{effort},umax"
        found: list[set[Literal]] = []
        self.core: list[Literal] = []

        def on_model(model: Any) -> bool:
            found.append({literal for literal in among if model.is_true(literal)})
            return True

        budget.check()
        with self.control.solve(assumptions=list(assumptions), on_model=on_model, async_=True) as handle:
            while not handle.wait(_LOOK_EVERY):
                try:
                    budget.check()
                except BudgetExceeded:
                    handle.cancel()
                    raise
            result = handle.get()
            if result.unsatisfiable:
                self.core = [Literal(literal) for literal in handle.core()]
        return not result.unknown and not result.interrupted, found[-1] if found else None
