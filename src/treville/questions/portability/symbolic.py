"""Differences between two models by one query (paper 004, sections 5.3 to 5.5 and 5.7.1).

The executions of the allowing model are encoded as for reachability; the forbidding model's inconsistency is
added over the same events, reads-from and coherence, so that a solution is an execution which
one allows and the other forbids. Projecting solutions to the final state makes the solver block
states it has handed over.
"""

from __future__ import annotations

from treville.encoding.executions import Encoding, addresses_of, encode_executions
from treville.encoding.formula import FALSE
from treville.events.execution import Execution
from treville.programs.litmus.states import satisfied
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable, RegisterOf
from treville.questions.portability.deadness import deadness
from treville.questions.portability.inconsistency import require_consistency, require_inconsistency
from treville.questions.portability.question import Difference, OnDifference, State
from treville.questions.portability.sides import Side
from treville.results import Budget
from treville.solving.outcomes import Observation, known_coherent
from treville.solving.solution import ExecutionReader, IsTrue
from treville.solving.solver import Clasp


class SymbolicSearch:
    """See `question.Search`."""

    def __init__(
        self, test: LitmusTest, allowing: Side, forbidding: Side, bound: int, budget: Budget
    ) -> None:
        self.test = test
        self.allowing = allowing
        self.forbidding = forbidding
        self.bound = bound
        self.budget = budget
        self.bound_reached = False
        self._reachability: _Reachability | None = None

    def differences(self, on_difference: OnDifference, *, states: bool, dead: bool) -> None:
        """One solver for all differences; it is asked for the next one as long as wanted."""
        encoding = encode(self.test, self.allowing, self.bound, self.budget)
        self.bound_reached |= encoding.bound_reached
        self.forbidding.prepare(encoding.facts)
        require_inconsistency(encoding, self.forbidding.view, self.budget)
        if dead:
            require_consistency(encoding, deadness(), self.budget)
        observation = Observation(encoding, self.test)
        reader = ExecutionReader(encoding)
        projected = observation.projected() if states or self.test.filter is not None else None
        solver = Clasp(encoding.formula, projected)

        def on_solution(is_true: IsTrue) -> bool:
            if not _counts(self.test, observation, is_true):
                return True
            state = observation.state(is_true)

            def execution() -> Execution:
                found = reader.execution(is_true)
                found.final = state
                return found

            return on_difference(Difference(state, execution))

        solver.enumerate(self.budget, on_solution)

    def reachable(self, state: State) -> bool:
        """Asks a solver of its own, which holds the consistent executions of the forbidding model."""
        if self._reachability is None:
            self._reachability = _Reachability(self.test, self.forbidding, self.bound, self.budget)
            self.bound_reached |= self._reachability.encoding.bound_reached
        return self._reachability.holds(state)


class _Reachability:
    """Can a model reach a state? The same solver answers for state after state."""

    def __init__(self, test: LitmusTest, side: Side, bound: int, budget: Budget) -> None:
        self.test = test
        self.budget = budget
        self.encoding = encode(test, side, bound, budget)
        self.observation = Observation(self.encoding, test)
        self.literals = [
            [self.encoding.final(part) for part in _parts(observable)] for observable in test.observed
        ]
        self.solver = Clasp(self.encoding.formula, self.observation.projected())

    def holds(self, state: State) -> bool:
        """Is there a consistent execution that ends in the state?"""
        assumptions = []
        for parts, value in zip(self.literals, state, strict=True):
            numbers = value if isinstance(value, tuple) else (value,)
            assumptions += [part.get(number, FALSE) for part, number in zip(parts, numbers, strict=True)]
        found = False

        def on_solution(is_true: IsTrue) -> bool:
            nonlocal found
            found = _counts(self.test, self.observation, is_true)
            return not found

        self.solver.enumerate(self.budget, on_solution, assumptions)
        return found


def encode(test: LitmusTest, side: Side, bound: int, budget: Budget) -> Encoding:
    """The executions of a test that are consistent in a side's view."""
    observed, coherent = addresses_of(test.observed), known_coherent(side.model)
    encoding = encode_executions(test.program, side.model, bound, budget, coherent, observed, axioms=[])
    side.prepare(encoding.facts)
    require_consistency(encoding, side.view, budget)
    return encoding


def _parts(observable: Observable) -> list[RegisterOf | CellOf]:
    if isinstance(observable, ArrayOf):
        return [CellOf(address, observable.shown) for address in observable.addresses]
    return [observable]


def _counts(test: LitmusTest, observation: Observation, is_true: IsTrue) -> bool:
    return test.filter is None or satisfied(test.filter, lambda o: observation.value(o, is_true))
