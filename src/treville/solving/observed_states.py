"""What a litmus test looks at -> literals of an encoding of its executions, and states read off solutions."""

from __future__ import annotations

from treville.encoding.acyclicity import Encoding
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.programs.litmus.states import FinalValue, observables
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
from treville.solving.solution import IsTrue

State = tuple[FinalValue, ...]


Cases = list[tuple[Literal, int]]  # literals and the numbers that they stand for


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

    def projected(self) -> list[Literal]:
        """All literals that tell states apart."""
        parts = [cases for parts in self.cases.values() for cases in parts]
        return [literal for cases in parts for literal, _ in cases]

    def condition(self, condition: Condition) -> Literal:
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


def _cases(literals: dict[int, Literal]) -> Cases:
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
