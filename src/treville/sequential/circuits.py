"""An abstraction, one call after the other -> gates: what its variables hold are vectors of literals.

Numbers that are known are ints, others lists of literals, lowest bit first: those of `uint` are not negative,
those of `word` have a sign in the last bit. A call happens where its guard holds, and elsewhere not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias, assert_never

from treville.encoding.circuits import Circuits
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.formulas.gates import Gates
from treville.sequential.language import (
    Assign,
    Assume,
    At,
    Binary,
    Call,
    Do,
    Expr,
    For,
    Function,
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

Bits: TypeAlias = list[Literal]
Held: TypeAlias = "int | Bits"
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Memory:
    """The variables of an abstraction, and calls of its functions. `constants` are those of the text (`K`,
    `N`, `T`, `V`)."""

    def __init__(self, text: Text, constants: Mapping[str, int], formula: Gates, most: int) -> None:
        """`most` is the largest number that is counted to."""
        self.width = most.bit_length()
        self.text, self.constants, self.formula = text, dict(constants), formula
        self.circuits = Circuits(formula)
        self.dimensions: dict[str, tuple[int, ...]] = {}
        self.cells: dict[str, list[Held]] = {}
        self.words = {name for name, variable in text.variables.items() if variable.word}
        for name, variable in text.variables.items():
            self.dimensions[name] = lengths(variable, self.constants)
            count = prod(self.dimensions[name])
            self.cells[name] = [[FALSE] if variable.word else 0 for _ in range(count)]

    def has(self, function: str) -> bool:
        """Is there such a function?"""
        return function in self.text.functions

    def call(self, function: str, arguments: Sequence[Held], guard: Literal = TRUE) -> Held:
        """Call a function where the guard holds."""
        found = self.text.functions[function]
        frame = _Frame(self, found, dict(zip(found.parameters, arguments, strict=True)), guard)
        frame.run(found.body, guard)
        return frame.result

    def held(self, name: str, *indices: int) -> Held:
        """What a variable holds by now."""
        return self.cells[name][element(indices, self.dimensions[name])]

    def hold(self, held: Held, name: str, *indices: int) -> None:
        """Let a variable hold something, whatever it held."""
        self.cells[name][element(indices, self.dimensions[name])] = held

    # -- numbers -----------------------------------------------------------------------------------------

    def guess(self, count: int) -> Held:
        """Any number below a constant."""
        width = (count - 1).bit_length()
        if not width:
            return 0
        bits = [self.formula.choice() for _ in range(width)]
        if count != 1 << width:
            limit = _unsigned(count, width)
            self.formula.forbid(-self.circuits.less(bits, limit, signed=False))
        return bits

    def compare(self, operator: str, one: Held, other: Held) -> Literal:
        """A comparison of numbers."""
        if isinstance(one, int) and isinstance(other, int):
            return TRUE if _COMPARISONS[operator](one, other) else FALSE
        width = max(_width(one), _width(other))
        left, right = _unsigned(one, width), _unsigned(other, width)
        match operator:
            case "==":
                return self.circuits.equal(left, right)
            case "!=":
                return -self.circuits.equal(left, right)
            case "<":
                return self.circuits.less(left, right, signed=False)
            case ">":
                return self.circuits.less(right, left, signed=False)
            case "<=":
                return -self.circuits.less(right, left, signed=False)
            case _:
                return -self.circuits.less(left, right, signed=False)

    def add(self, operator: str, one: Held, other: Held) -> Held:
        """A sum or a difference of numbers."""
        if isinstance(one, int) and isinstance(other, int):
            return one + other if operator == "+" else one - other
        width = max(_width(one), _width(other)) + (operator == "+")
        left, right = _unsigned(one, width), _unsigned(other, width)
        if operator == "+":
            return self.circuits.add(left, right)
        return self.circuits.subtract(left, right)

    def pick(self, condition: Literal, then: Held, otherwise: Held, word: bool) -> Held:
        """One of two numbers."""
        if condition == TRUE or then == otherwise:
            return then
        if condition == FALSE:
            return otherwise
        width = max(_width(then), _width(otherwise))
        fill = _signed if word else _unsigned
        pairs = zip(fill(then, width), fill(otherwise, width), strict=True)
        return [self.circuits.pick(condition, a, b) for a, b in pairs]

    def chosen(self, index: Held, length: int) -> list[Literal]:
        """For each place of an array the literal that it is meant."""
        return [self.compare("==", index, place) for place in range(length)]

    def select(self, chosen: Sequence[Literal], held: Sequence[Held], word: bool) -> Held:
        """The one of several numbers that is chosen."""
        first = held[0]
        if all(other == first for other in held):
            return first
        width = max(map(_width, held))
        fill = _signed if word else _unsigned
        columns = zip(*(fill(one, width) for one in held), strict=True)
        return [self.formula.select(chosen, column) for column in columns]


class _Frame:
    """One call of a function."""

    def __init__(self, memory: Memory, function: Function, local: dict[str, Held], guard: Literal) -> None:
        self.memory, self.local, self.result = memory, local, 0
        self.words = {name for name in function.parameters if name == "val"}
        self.base = guard

    result: Held

    def run(self, body: Sequence[Statement], guard: Literal) -> None:
        """Execute statements where the guard holds."""
        if guard == FALSE:
            return
        for statement in body:
            match statement:
                case Assign(target, value):
                    self._assign(target, self.number(value, guard), guard)
                case Assume(condition):
                    for part in _conjuncts(condition):
                        self.memory.formula.forbid(guard, -self.truth(part, guard))
                case Do(call):
                    self._call(call, guard)
                case If(condition, then, otherwise):
                    holds = self.truth(condition, guard)
                    both = self.memory.formula.both
                    self.run(then, both(guard, holds))
                    self.run(otherwise, both(guard, -holds))
                case For(name, limit, inner):
                    for place in range(constant(limit, self.memory.constants)):
                        self.local[name] = place
                        self.run(inner, guard)
                case Return(value):
                    self.result = self.number(value, guard)
                case _:
                    assert_never(statement)

    def _call(self, call: Call, guard: Literal) -> Held:
        arguments = [self.number(argument, guard) for argument in call.arguments]
        if call.function == "guess":
            assert isinstance(arguments[0], int)
            return self.memory.guess(arguments[0])
        return self.memory.call(call.function, arguments, guard)

    def _assign(self, target: At, value: Held, guard: Literal) -> None:
        memory, name = self.memory, target.name
        if name not in memory.cells:
            before = self.local.get(name)
            if before is not None and guard != self.base:
                value = memory.pick(guard, value, before, word=name in ("found", "val"))
            self.local[name] = value
            return
        cells, word = memory.cells[name], name in memory.words
        if not word and isinstance(value, list):
            value = value[: memory.width]
        for place, here in self._places(target, guard):
            cells[place] = memory.pick(memory.formula.both(guard, here), value, cells[place], word)

    def _places(self, target: At, guard: Literal) -> list[tuple[int, Literal]]:
        """The elements that may be meant, each with the literal that it is."""
        memory = self.memory
        found = [(0, TRUE)]
        for index, length in zip(target.indices, memory.dimensions[target.name], strict=True):
            number = self.number(index, guard)
            if isinstance(number, int):
                found = [(place * length + number, here) for place, here in found]
                continue
            chosen = memory.chosen(number, length)
            found = [
                (place * length + at, memory.formula.both(here, literal))
                for place, here in found
                for at, literal in enumerate(chosen)
                if literal != FALSE
            ]
        return found

    def number(self, expression: Expr, guard: Literal) -> Held:
        """The value of an expression that is a number."""
        memory = self.memory
        match expression:
            case Number(value):
                return value
            case At(name, ()) if name in self.local:
                return self.local[name]
            case At(name, ()) if name in memory.constants:
                return memory.constants[name]
            case At(name, _):
                places = self._places(expression, guard)
                if len(places) == 1:
                    return memory.cells[name][places[0][0]]
                held = [memory.cells[name][place] for place, _ in places]
                return memory.select([here for _, here in places], held, name in memory.words)
            case Binary("+" | "-" as operator, left, right):
                return memory.add(operator, self.number(left, guard), self.number(right, guard))
            case Call():
                return self._call(expression, guard)
            case _:
                raise AssertionError(f"no number: {expression}")

    def truth(self, expression: Expr, guard: Literal) -> Literal:
        """The literal of a condition."""
        formula = self.memory.formula
        match expression:
            case Not(argument):
                return -self.truth(argument, guard)
            case Binary("&&", left, right):
                return formula.both(self.truth(left, guard), self.truth(right, guard))
            case Binary("||", left, right):
                return formula.either([self.truth(left, guard), self.truth(right, guard)])
            case Binary(operator, left, right):
                return self.memory.compare(operator, self.number(left, guard), self.number(right, guard))
            case _:
                raise AssertionError(f"no condition: {expression}")


def _conjuncts(condition: Expr) -> list[Expr]:
    if isinstance(condition, Binary) and condition.operator == "&&":
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [condition]




def _width(held: Held) -> int:
    return max(1, held.bit_length()) if isinstance(held, int) else len(held)


def _unsigned(held: Held, width: int) -> Bits:
    if isinstance(held, int):
        return [TRUE if held >> place & 1 else FALSE for place in range(width)]
    return held + [FALSE] * (width - len(held)) if len(held) < width else held[:width]


def _signed(held: Held, width: int) -> Bits:
    assert not isinstance(held, int)
    return held + held[-1:] * (width - len(held)) if len(held) < width else held[:width]
