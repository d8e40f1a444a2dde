"""A litmus test and a model -> its final states, by the symbolic engine.

The sentence of the pipeline: encode the executions, ask for all assignments of what the test
observes (projected enumeration, one solution per state), read the states off. Counting asks for every
execution instead: each choice of reads-from, coherence and path once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treville.encoding.executions import Encoding, addresses_of, encode_executions
from treville.encoding.formula import FALSE, TRUE
from treville.models.model import Model
from treville.programs.litmus.states import FinalValue, observables, satisfied
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable, RegisterOf
from treville.results import Budget
from treville.solving.enumeration.implied import implies_coherence
from treville.solving.solver import Clasp

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
    observed = addresses_of(test.observed)
    coherent = implies_coherence(model)
    encoding = encode_executions(test.program, model, bound, budget, coherent, observed)
    observation = Observation(encoding, test)
    projected = observation.projected()
    flags = {name: literal for name, literal in encoding.flags.items() if literal != FALSE}
    solver = Clasp(encoding.formula, None if count else projected + list(flags.values()))
    outcomes = SymbolicOutcomes({}, set(), encoding.bound_reached)

    def on_solution(is_true: Callable[[int], bool]) -> bool:
        if test.filter is not None and not satisfied(test.filter, lambda o: observation.value(o, is_true)):
            return True
        state = tuple([observation.value(observable, is_true) for observable in test.observed])
        known = outcomes.states.get(state) or 0
        outcomes.states[state] = known + 1 if count else None
        outcomes.flags.update(name for name, literal in flags.items() if literal == TRUE or is_true(literal))
        return True

    solver.enumerate(budget, on_solution)
    return outcomes
