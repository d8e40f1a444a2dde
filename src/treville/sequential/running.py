"""An abstraction, run on numbers: all that a call may do, for every guess that counts.

What is compared with plain store buffers, step by step, and whose lists are looked at after random calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import TypeAlias, assert_never

from treville.sequential.language import (
    Assign,
    Assume,
    At,
    Binary,
    Call,
    Do,
    Expr,
    For,
    If,
    Not,
    Number,
    Return,
    Statement,
    Text,
    constant,
    element,
    lengths,
)

# What the variables hold: for each name all elements, one after the other.
Store: TypeAlias = Mapping[str, tuple[int, ...]]


class _NotCounted(Exception):
    """An assumption does not hold."""


class Running:
    """An abstraction with its constants (`K`, `N`, `T`, `V`) on numbers."""

    def __init__(self, text: Text, constants: Mapping[str, int], initial: Sequence[int]) -> None:
        self.text, self.constants = text, constants
        self.lengths = {name: lengths(variable, constants) for name, variable in text.variables.items()}
        empty = {name: (0,) * prod(own) for name, own in self.lengths.items()}
        self.first = next(iter(self.calls({**empty, "initial": tuple(initial)}, "init")))[0]

    def calls(self, store: Store, function: str, *arguments: int) -> Iterator[tuple[Store, int]]:
        """All stores that a call may leave, each with what it returns. Guesses are tried one by one: each run
        follows the guesses so far and takes 0 for new ones; then the last one that can grow does."""
        guesses: list[list[int]] = []
        while True:
            run = _Run(self, dict(store), guesses)
            try:
                result = run.call(function, arguments)
                yield run.store, result
            except _NotCounted:
                pass
            del guesses[run.used :]
            while guesses and guesses[-1][0] + 1 >= guesses[-1][1]:
                guesses.pop()
            if not guesses:
                return
            guesses[-1][0] += 1

    def at(self, store: Store, name: str, *indices: int) -> int:
        """What a variable holds."""
        return store[name][element(indices, self.lengths[name])]


class _Run:
    """One run of a call: `guesses` are the numbers to guess, and how many there are."""

    def __init__(self, of: Running, store: dict[str, tuple[int, ...]], guesses: list[list[int]]) -> None:
        self.of, self.store, self.guesses, self.used = of, store, guesses, 0

    def call(self, function: str, arguments: Sequence[int]) -> int:
        if function == "guess":
            return self._guess(arguments[0])
        found = self.of.text.functions[function]
        local = dict(zip(found.parameters, arguments, strict=True))
        self._run(found.body, local)
        return local.get("return", 0)

    def _guess(self, count: int) -> int:
        if self.used == len(self.guesses):
            self.guesses.append([0, count])
        self.used += 1
        return self.guesses[self.used - 1][0]

    def _run(self, body: Sequence[Statement], local: dict[str, int]) -> None:
        for statement in body:
            match statement:
                case Assign(target, value):
                    self._assign(target, self.value(value, local), local)
                case Assume(condition):
                    if not self.value(condition, local):
                        raise _NotCounted
                case Do(call):
                    self.value(call, local)
                case If(condition, then, otherwise):
                    self._run(then if self.value(condition, local) else otherwise, local)
                case For(name, limit, inner):
                    for number in range(constant(limit, self.of.constants)):
                        local[name] = number
                        self._run(inner, local)
                case Return(value):
                    local["return"] = self.value(value, local)
                case _:
                    assert_never(statement)

    def _assign(self, target: At, value: int, local: dict[str, int]) -> None:
        if target.name not in self.store:
            local[target.name] = value
            return
        indices = [self.value(index, local) for index in target.indices]
        place = element(indices, self.of.lengths[target.name])
        held = self.store[target.name]
        self.store[target.name] = (*held[:place], value, *held[place + 1 :])

    def value(self, expression: Expr, local: dict[str, int]) -> int:
        match expression:
            case Number(value):
                return value
            case Not(argument):
                return int(not self.value(argument, local))
            case Call(function, arguments):
                return self.call(function, [self.value(argument, local) for argument in arguments])
            case At(name, ()) if name in local:
                return local[name]
            case At(name, ()) if name in self.of.constants:
                return self.of.constants[name]
            case At(name, indices):
                numbers = [self.value(index, local) for index in indices]
                return self.store[name][element(numbers, self.of.lengths[name])]
            case Binary(operator, left, right):
                return self._binary(operator, left, right, local)
            case _:
                assert_never(expression)

    def _binary(self, operator: str, left: Expr, right: Expr, local: dict[str, int]) -> int:
        one = self.value(left, local)
        if operator in ("&&", "||"):
            decided = bool(one) == (operator == "||")
            return int(bool(one) if decided else bool(self.value(right, local)))
        other = self.value(right, local)
        return int(
            {
                "+": one + other, "-": one - other, "==": one == other, "!=": one != other,
                "<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other,
            }[operator]
        )  # fmt: skip
