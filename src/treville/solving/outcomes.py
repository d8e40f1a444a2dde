"""A litmus test and a model -> its final states, by the symbolic engine.

The sentence of the pipeline: encode the executions, ask for all assignments of what the test
observes (projected enumeration, one solution per state), read the states off. Counting asks for every
execution instead: each choice of reads-from, coherence and path once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from treville.analysis.relations import NotEncodable
from treville.encoding.executions import Encoding, addresses_of, encode_executions
from treville.encoding.formula import FALSE, TRUE
from treville.models.model import Axiom, Model
from treville.programs.litmus.states import FinalValue, observables, satisfied
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable, RegisterOf
from treville.results import Budget
from treville.solving.enumeration.implied import implies_coherence
from treville.solving.lazy.propagator import LazyModel
from treville.solving.solution import IsTrue
from treville.solving.solver import Clasp

SIMPLE = 16
State = tuple[FinalValue, ...]


class SymbolicOutcomes(NamedTuple):
    """Final states with their numbers of consistent executions (None where not counted), the flags that
    some consistent execution raises, and whether loops were cut."""

    states: dict[State, int | None]
    flags: set[str]
    bound_reached: bool


class Observation:
    """What a test looks at, as literals of an encoding."""

    def __init__(self, encoding: Encoding, test: LitmusTest) -> None:
        self.encoding = encoding
        self.literals: dict[Observable, dict[int, int]] = {}
        filtered = [] if test.filter is None else list(observables(test.filter))
        for observable in [*test.observed, *filtered]:
            for part in _parts(observable):
                if part not in self.literals:
                    self.literals[part] = encoding.final(part)

    def projected(self) -> list[int]:
        """All literals that tell states apart."""
        return [literal for numbers in self.literals.values() for literal in numbers.values()]

    def value(self, observable: Observable, is_true: Callable[[int], bool]) -> FinalValue:
        """The final value of an observable in a solution."""
        if isinstance(observable, ArrayOf):
            return tuple(self._number(part, is_true) for part in _parts(observable))
        return self._number(observable, is_true)

    def _number(self, part: RegisterOf | CellOf, is_true: Callable[[int], bool]) -> int:
        for number, literal in self.literals[part].items():
            if literal == TRUE or is_true(literal):
                return number
        return 0


def _parts(observable: Observable) -> list[RegisterOf | CellOf]:
    if isinstance(observable, ArrayOf):
        return [CellOf(address, f"{observable.shown}[{i}]") for i, address in enumerate(observable.addresses)]
    return [observable]


def symbolic_outcomes(
    test: LitmusTest, model: Model, bound: int, budget: Budget, count: bool = False, lazy: bool = False
) -> SymbolicOutcomes:
    """All final states of the test. Raises `BudgetExceeded`; `TooLarge` where values do not fit."""
    try:
        return _Search(test, model, bound, budget, eager_axioms(model) if lazy else model.axioms).run(count)
    except NotEncodable:
        return _Search(test, model, bound, budget, []).run(count)


class _Search:
    """One search for the outcomes of a test. Axioms that are not encoded are enforced lazily, and flags that
    are not encoded are evaluated on every execution, which rules out projection."""

    def __init__(
        self, test: LitmusTest, model: Model, bound: int, budget: Budget, axioms: Sequence[Axiom]
    ) -> None:
        self.test = test
        self.budget = budget
        observed = addresses_of(test.observed)
        coherent = implies_coherence(model)
        self.encoding = encode_executions(test.program, model, bound, budget, coherent, observed, axioms)
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
            return True

        solver.enumerate(self.budget, on_solution)
        return self.outcomes

    def _record(self, is_true: IsTrue, count: bool) -> None:
        observation, states = self.observation, self.outcomes.states
        condition = self.test.filter
        if condition is not None and not satisfied(condition, lambda o: observation.value(o, is_true)):
            return
        state = tuple([observation.value(observable, is_true) for observable in self.test.observed])
        states[state] = (states.get(state) or 0) + 1 if count else None
        raised = self.outcomes.flags
        raised.update(name for name, literal in self.flags.items() if literal == TRUE or is_true(literal))
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
