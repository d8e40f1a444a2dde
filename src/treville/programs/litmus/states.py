"""Final states of litmus tests: evaluating conditions, and deciding what an answer says about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from treville.programs.litmus.test import (
    And,
    Condition,
    Equals,
    LitmusTest,
    Not,
    Observable,
    Or,
    SameValue,
)
from treville.programs.operators import unsigned

FinalValue = int | tuple[int, ...]


def satisfied(condition: Condition, final: Callable[[Observable], FinalValue]) -> bool:
    """Does a final state, given as a function from observables to values, satisfy the condition?"""
    if isinstance(condition, Equals):
        return final(condition.observable) == condition.value
    if isinstance(condition, And):
        return all(satisfied(operand, final) for operand in condition.operands)
    if isinstance(condition, Or):
        return any(satisfied(operand, final) for operand in condition.operands)
    if isinstance(condition, Not):
        return not satisfied(condition.operand, final)
    assert isinstance(condition, SameValue)
    return final(condition.left) == final(condition.right)


def observables(condition: Condition) -> Iterator[Observable]:
    """Everything that a condition looks at."""
    if isinstance(condition, Equals):
        yield condition.observable
    elif isinstance(condition, SameValue):
        yield condition.left
        yield condition.right
    elif isinstance(condition, Not):
        yield from observables(condition.operand)
    else:
        for operand in condition.operands:
            yield from observables(operand)


def state_satisfies(test: LitmusTest, state: tuple[FinalValue, ...]) -> bool:
    """Does a state (values in the order of `test.observed`) satisfy the test's condition?"""
    values = dict(zip(test.observed, state, strict=True))
    return satisfied(test.condition, values.__getitem__)


def state_fields(test: LitmusTest, state: tuple[FinalValue, ...]) -> list[tuple[str, str]]:
    """A state for people: what is observed and its value, addresses as names (`x`), arrays as `{1,2}`."""
    return [
        (observable.shown, _show(test, observable, value))
        for observable, value in zip(test.observed, state, strict=True)
    ]


def _show(test: LitmusTest, observable: Observable, value: FinalValue) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(_show(test, observable, cell) for cell in value) + "}"
    if observable.unsigned and value < 0:
        value = unsigned(value, observable.unsigned)
    return test.program.show_value(value)


def state_object(test: LitmusTest, state: tuple[Any, ...]) -> dict[str, Any]:
    """A final state as JSON: numbers as numbers, addresses as names, arrays as lists."""
    return {
        _spelling(observable): [_value(test, v) for v in value]
        if isinstance(value, tuple)
        else _value(test, value)
        for observable, value in zip(test.observed, state, strict=True)
    }


def _spelling(observable: Observable) -> str:
    return (
        observable.shown.removeprefix("[").removesuffix("]")
        if _bracketed(observable.shown)
        else observable.shown
    )


def _bracketed(shown: str) -> bool:
    return shown.startswith("[") and shown.endswith("]")


def _value(test: LitmusTest, value: int) -> int | str:
    shown = test.program.show_value(value)
    return value if shown == str(value) else shown


def state_order(state: tuple[Any, ...]) -> tuple[tuple[int, ...], ...]:
    """Sorts states by their values."""
    return tuple(value if isinstance(value, tuple) else (value,) for value in state)
