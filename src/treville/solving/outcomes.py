"""A litmus test and a model -> its final states, by the symbolic engine.

The sentence of the pipeline: encode the executions, ask for all assignments of what the test
observes (projected enumeration, one solution per state), read the states off. Counting asks for every
execution instead: each choice of reads-from, coherence and path once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from treville.analysis.aliases import FLOW
from treville.analysis.relations import NotEncodable
from treville.encoding.executions import Encoding, addresses_of, encode_executions
from treville.formulas.formula import FALSE, TRUE
from treville.models.model import Axiom, Model
from treville.programs.litmus.states import FinalValue, observables, satisfied
from treville.programs.litmus.test import (
    And,
    ArrayOf,
    CellOf,
    Condition,
    Equals,
    LitmusTest,
    Not,
    Observable,
    Or,
    RegisterOf,
)
from treville.results import Budget
from treville.solving.enumeration.implied import implies_coherence
from treville.solving.lazy.propagator import LazyModel
from treville.solving.solution import IsTrue
from treville.solving.solver import Clasp

SIMPLE = 16
MAX_STATES = 1 << 15
State = tuple[FinalValue, ...]


class SymbolicOutcomes(NamedTuple):
    """Final states with their numbers of consistent executions (None where not counted), the flags that
    some consistent execution raises, and whether loops were cut. Not `complete`: there are more states than
    anyone reads; those listed still include one that satisfies the condition and one that does not, where
    such states exist, and flags are complete."""

    states: dict[State, int | None]
    flags: set[str]
    bound_reached: bool
    complete: bool = True


Cases = list[tuple[int, int]]  # literals and the numbers that they stand for


class Observation:
    """What a test looks at, as literals of an encoding."""

    def __init__(self, encoding: Encoding, test: LitmusTest) -> None:
        self.encoding = encoding
        filtered = [] if test.filter is None else list(observables(test.filter))
        self.cases: dict[Observable, list[Cases]] = {}
        for observable in [*test.observed, *filtered]:
            if observable not in self.cases:
                self.cases[observable] = [_cases(encoding.final(part)) for part in _parts(observable)]
        self.observed = [self.cases[observable] for observable in test.observed]
        self.arrays = [isinstance(observable, ArrayOf) for observable in test.observed]

    def projected(self) -> list[int]:
        """All literals that tell states apart."""
        parts = [cases for parts in self.cases.values() for cases in parts]
        return [literal for cases in parts for literal, _ in cases]

    def condition(self, condition: Condition) -> int:
        """The literal that the final state satisfies a condition."""
        formula = self.encoding.formula
        if isinstance(condition, Not):
            return -self.condition(condition.operand)
        if isinstance(condition, And):
            return formula.both(*[self.condition(operand) for operand in condition.operands])
        if isinstance(condition, Or):
            return formula.either([self.condition(operand) for operand in condition.operands])
        if isinstance(condition, Equals):
            values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
            parts = [self.encoding.final(part) for part in _parts(condition.observable)]
            if len(values) != len(parts):
                return FALSE
            return formula.both(*[part.get(n, FALSE) for part, n in zip(parts, values, strict=True)])
        left, right = (
            [self.encoding.final(part) for part in _parts(observable)]
            for observable in (condition.left, condition.right)
        )
        return formula.both(
            *[
                formula.any_of([[one[number], other[number]] for number in one.keys() & other.keys()])
                for one, other in zip(left, right, strict=False)
            ]
        )

    def state(self, is_true: IsTrue) -> State:
        """The final values of all that the test observes."""
        if not any(self.arrays):
            return tuple([_number(parts[0], is_true) for parts in self.observed])
        return tuple(
            [
                tuple([_number(cases, is_true) for cases in parts]) if array else _number(parts[0], is_true)
                for parts, array in zip(self.observed, self.arrays, strict=True)
            ]
        )

    def value(self, observable: Observable, is_true: IsTrue) -> FinalValue:
        """The final value of one observable."""
        numbers = tuple([_number(cases, is_true) for cases in self.cases[observable]])
        return numbers if isinstance(observable, ArrayOf) else numbers[0]


def _cases(literals: dict[int, int]) -> Cases:
    """The last case holds where no other does, so its literal need not be looked at."""
    cases = [(literal, number) for number, literal in literals.items()]
    return [*cases[:-1], (TRUE, cases[-1][1])] if cases else [(TRUE, 0)]


def _number(cases: Cases, is_true: IsTrue) -> int:
    for literal, number in cases:
        if literal == TRUE or is_true(literal):
            return number
    return 0


def _parts(observable: Observable) -> list[RegisterOf | CellOf]:
    if isinstance(observable, ArrayOf):
        return [CellOf(address, f"{observable.shown}[{i}]") for i, address in enumerate(observable.addresses)]
    return [observable]


def symbolic_outcomes(
    test: LitmusTest, model: Model, bound: int, budget: Budget, count: bool = False, lazy: bool = False,
    alias: str = FLOW,
) -> SymbolicOutcomes:  # fmt: skip
    """All final states of the test. Raises `BudgetExceeded`; `TooLarge` where values do not fit."""
    try:
        axioms = eager_axioms(model) if lazy else model.axioms
        return _Search(test, model, bound, budget, axioms, alias).run(count)
    except NotEncodable:
        return _Search(test, model, bound, budget, [], alias).run(count)


@lru_cache(maxsize=64)
def known_coherent(model: Model) -> bool:
    """Does the model imply coherence per location? Remembered for each model."""
    return implies_coherence(model)


class _Search:
    """One search for the outcomes of a test. Axioms that are not encoded are enforced lazily, and flags that
    are not encoded are evaluated on every execution, which rules out projection."""

    def __init__(
        self, test: LitmusTest, model: Model, bound: int, budget: Budget, axioms: Sequence[Axiom], alias: str
    ) -> None:
        self.test = test
        self.budget = budget
        observed = addresses_of(test.observed)
        coherent = known_coherent(model)
        self.encoding = encode_executions(
            test.program, model, bound, budget, coherent, observed, axioms, alias
        )
        self.observation = Observation(self.encoding, test)
        self.flags = {name: literal for name, literal in self.encoding.flags.items() if literal != FALSE}
        left = [axiom for axiom in model.axioms if axiom not in axioms]
        self.lazy = LazyModel(self.encoding, model) if left else None
        self.evaluate_flags = any(axiom.flag or axiom.undefined for axiom in left)
        self.outcomes = SymbolicOutcomes({}, set(), self.encoding.bound_reached)

    def run(self, count: bool) -> SymbolicOutcomes:
        """Enumerate states, or executions if they are counted."""
        projected = [*self.observation.projected(), *self.flags.values()]
        every_execution = count or self.evaluate_flags
        solver = Clasp(self.encoding.formula, None if every_execution else projected)
        if self.lazy is not None:
            solver.register(self.lazy)

        def on_solution(is_true: IsTrue) -> bool:
            self._record(is_true, count)
            return every_execution or len(self.outcomes.states) < MAX_STATES

        solver.enumerate(self.budget, on_solution)
        if not every_execution and len(self.outcomes.states) >= MAX_STATES:
            return self._decide_only()
        return self.outcomes

    def _decide_only(self) -> SymbolicOutcomes:
        """There are too many states to list: find one that satisfies the condition, one that does not, and
        an execution for each flag that was not raised yet."""
        holds = self.observation.condition(self.test.condition)
        filtered = TRUE if self.test.filter is None else self.observation.condition(self.test.filter)
        solver = Clasp(self.encoding.formula)
        if self.lazy is not None:
            solver.register(self.lazy)

        def on_solution(is_true: IsTrue) -> bool:
            self._record(is_true, count=False)
            return False

        for wanted in (holds, -holds):
            solver.enumerate(self.budget, on_solution, [wanted, filtered])
        for name, literal in self.flags.items():
            if name not in self.outcomes.flags:
                solver.enumerate(self.budget, on_solution, [literal, filtered])
        return self.outcomes._replace(complete=False)

    def _record(self, is_true: IsTrue, count: bool) -> None:
        observation, states = self.observation, self.outcomes.states
        condition = self.test.filter
        if condition is not None and not satisfied(condition, lambda o: observation.value(o, is_true)):
            return
        state = observation.state(is_true)
        states[state] = (states.get(state) or 0) + 1 if count else None
        raised = self.outcomes.flags
        for name, literal in self.flags.items():
            if name not in raised and (literal == TRUE or is_true(literal)):
                raised.add(name)
        if self.evaluate_flags and self.lazy is not None:
            raised.update(self.lazy.flags(is_true))


def eager_axioms(model: Model) -> list[Axiom]:
    """The axioms that the lazy engine encodes all the same: simple ones, and flags, which ask for more than
    one execution per state."""
    return [axiom for axiom in model.axioms if axiom.flag or axiom.undefined or is_simple(model, axiom)]


def is_simple(model: Model, axiom: Axiom) -> bool:
    """Is the axiom cheap to encode: no closure and no recursion, few definitions?"""
    seen: set[int] = set()
    pending = [axiom.node]
    while pending:
        index = pending.pop()
        if index not in seen:
            seen.add(index)
            node = model.nodes[index]
            if node.op in ("fixpoint", "plus", "star") or len(seen) > SIMPLE:
                return False
            pending.extend(node.args)
    return True
