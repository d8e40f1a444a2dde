"""Differences between two models by listing: every execution of one, judged by the other.

The explicit engine lists the executions that the allowing model is consistent with; the compiled forbidding
model judges each. Where states matter, those of the forbidding model are listed once, when first needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from treville.engines.contract import State
from treville.engines.differences.deadness import deadness
from treville.engines.differences.task import Difference, OnDifference
from treville.enumeration.candidates import Candidate, Engine, compiled, enumerate_outcomes
from treville.enumeration.concrete import to_execution
from treville.events.execution import Execution
from treville.events.trace import Effort
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.passes.joint import Side
from treville.programs.litmus.states import satisfied
from treville.programs.litmus.test import LitmusTest
from treville.results import Budget


class ExplicitSearch:
    """See `task.Search`. Raises `TooLarge` after `limit` steps, if there is a limit."""

    engine = "enumerate"

    def __init__(
        self,
        test: LitmusTest,
        allowing: Side,
        forbidding: Side,
        bound: int,
        budget: Budget,
        limit: int | None = None,
    ) -> None:
        self.test = test
        self.allowing = allowing
        self.forbidding = forbidding
        self.bound = bound
        self.budget = budget
        self.limit = limit
        self.bound_reached = False
        self._states: frozenset[State] | None = None

    def differences(self, on_difference: OnDifference, *, states: bool, dead: bool) -> None:
        """Walk through the allowed executions; each differing state is handed over once."""
        engine = Engine(self.test, self.allowing.model, self.bound, self.budget, Effort(self.limit))
        self.bound_reached |= engine.traces.bound_reached
        judge = _Judge(self.forbidding.model, engine)
        seen: set[State] = set()
        for candidate, _ in engine.consistent():
            if self.test.filter is not None and not satisfied(self.test.filter, candidate.final):
                continue
            state = tuple([candidate.final(observable) for observable in self.test.observed])
            if (states and state in seen) or judge.allows(candidate):
                continue
            if dead and not _is_dead(to_execution(self.test, candidate)):
                continue
            seen.add(state)
            if not on_difference(Difference(state, partial(to_execution, self.test, candidate))):
                return

    def reachable(self, state: State) -> bool:
        """Looks the state up among all states of the forbidding model."""
        if self._states is None:
            found = enumerate_outcomes(self.test, self.forbidding.model, self.bound, self.budget, self.limit)
            self.bound_reached |= found.bound_reached
            self._states = frozenset(found.states)
        return state in self._states

    def some_run_ends(self) -> bool:
        """All threads of litmus tests end."""
        return True


class _Judge:
    """Does a model allow the candidates of another model's engine?"""

    def __init__(self, model: Model, engine: Engine) -> None:
        self.compiled = compiled(model)[0]
        self.coherent = engine.coherent
        self.prepared: dict[int, Any] = {}

    def allows(self, candidate: Candidate) -> bool:
        """Is the candidate consistent with the model?"""
        layout = candidate.layout
        key = id(layout)
        if key not in self.prepared:
            base = layout.everything()
            base.update(layout.upper_bounds(base, self.coherent))
            # The layout is kept too, so that its identity stays its own.
            self.prepared[key] = (layout, self.compiled.prepare(layout.kernel, base))
        statics = self.prepared[key][1]
        if statics is None:
            return False
        return not self.compiled.violated(statics, candidate.rf, candidate.co, candidate.fr)


class JudgedSearch:
    """See `task.Search`; for programs of which each model sees its own compilation. Every candidate is
    judged by the relation algebra, so this is for small programs and for checking the other engines."""

    engine = "enumerate"

    def __init__(
        self, test: LitmusTest, allowing: Side, forbidding: Side, bound: int, budget: Budget
    ) -> None:
        self.test = test
        self.allowing = allowing
        self.forbidding = forbidding
        self._listing = Engine(test, allowing.model, bound, budget, incoherent_too=True)
        self.bound_reached = self._listing.traces.bound_reached
        self._states: set[State] | None = None

    def differences(self, on_difference: OnDifference, *, states: bool, dead: bool) -> None:
        """Walk through all candidates."""
        del states
        for execution in self._executions():
            if (
                _allows(self.allowing, execution)
                and not _allows(self.forbidding, execution)
                and (not dead or _is_dead(execution))
                and not on_difference(Difference(execution.final, partial(_same, execution)))
            ):
                return

    def reachable(self, state: State) -> bool:
        """Looks the state up among all states of the forbidding model."""
        if self._states is None:
            allowed = (e for e in self._executions() if _allows(self.forbidding, e))
            self._states = {execution.final for execution in allowed}
        return state in self._states

    def some_run_ends(self) -> bool:
        """All threads of litmus tests end."""
        return True

    def _executions(self) -> Iterator[Execution]:
        for candidate in self._listing.all_candidates():
            if self.test.filter is None or satisfied(self.test.filter, candidate.final):
                yield to_execution(self.test, candidate)


def _same(execution: Execution) -> Execution:
    return execution


def _allows(side: Side, execution: Execution) -> bool:
    seen = side.seen(execution)
    return evaluate(side.model, len(seen.events), seen.sets, seen.relations, everything=False).consistent


def _is_dead(execution: Execution) -> bool:
    model = deadness()
    found = evaluate(model, len(execution.events), execution.sets, execution.relations, everything=False)
    return found.consistent
