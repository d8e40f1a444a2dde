"""The small part of C in which shared memory abstractions are written, as data.

One text says what reads, writes and fences do. It is printed into sequential programs as it is, becomes
circuits (`sequential.circuits`) and can be run (`sequential.running`), so that these cannot disagree. There
are unsigned numbers (`uint`), values of the program (`word`), arrays of both, `guess(n)` for any number below
n, `assume`, functions, conditionals and loops over constants.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from treville.records import dataclass

# -- expressions -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: int


@dataclass(frozen=True, slots=True)
class At:
    """A variable, or the element of an array at these indices."""

    name: str
    indices: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Binary:
    """`+`, `-`, a comparison, `&&` or `||`."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Not:
    """`!`."""

    argument: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the abstraction, or `guess`."""

    function: str
    arguments: tuple[Expr, ...] = ()


Expr: TypeAlias = Number | At | Binary | Not | Call

# -- statements ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`; the first one to a name declares it."""

    target: At
    value: Expr


@dataclass(frozen=True, slots=True)
class Assume:
    """Runs in which the condition does not hold do not count."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class Do:
    """A call for what it does."""

    call: Call


@dataclass(frozen=True, slots=True)
class If:
    """A conditional."""

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """`name` from 0 up to, but without, a constant."""

    name: str
    limit: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Return:
    """The value of a function, at its end."""

    value: Expr


Statement: TypeAlias = Assign | Assume | Do | If | For | Return


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the abstraction."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the abstraction: the names of the constants that are the lengths of its dimensions.
    `word`: it holds values of the program."""

    name: str
    dimensions: tuple[Expr, ...]
    word: bool


@dataclass(frozen=True, slots=True)
class Text:
    """What a text declares."""

    variables: Mapping[str, Variable]
    functions: Mapping[str, Function]


# -- places in arrays --------------------------------------------------------------------------------------


def constant(expression: Expr, constants: Mapping[str, int]) -> int:
    """The length of a dimension, or the limit of a loop."""
    match expression:
        case Number(value):
            return value
        case At(name, ()):
            return constants[name]
        case Binary("+" | "-" as operator, left, right):
            one, other = constant(left, constants), constant(right, constants)
            return one + other if operator == "+" else one - other
        case _:
            raise AssertionError(f"no constant: {expression}")


def lengths(variable: Variable, constants: Mapping[str, int]) -> tuple[int, ...]:
    """How long each dimension of a variable is."""
    return tuple(constant(length, constants) for length in variable.dimensions)


def element(indices: Sequence[int], dimensions: Sequence[int]) -> int:
    """Where an element is among all elements of its array."""
    found = 0
    for index, length in zip(indices, dimensions, strict=True):
        found = found * length + index
    return found


# -- reading ---------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:/\*.*?\*/\s*)*([A-Za-z_]\w*|\d+|<=|>=|==|!=|&&|\|\||\+\+|[-+<>!=(){}\[\],;]|\Z)", re.S
)
_TYPES = ("void", "uint", "word")
_LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"))


def read_text(text: str) -> Text:
    """The variables and functions of a text."""
    return _Reader(text).text()


class _Reader:
    """Recursive descent; texts are part of Treville, so that mistakes in them are bugs."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            assert found is not None, f"no token at {text[at : at + 20]!r}"
            self.tokens.append(found[1])
            at = found.end()
        self.tokens.append("")
        self.place = 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.place + ahead]

    def take(self, expected: str = "") -> str:
        token = self.tokens[self.place]
        assert not expected or token == expected, (
            f"{expected} expected before {self.tokens[self.place :][:5]}"
        )
        self.place += 1
        return token

    def text(self) -> Text:
        variables: dict[str, Variable] = {}
        functions: dict[str, Function] = {}
        while self.peek():
            static = self.peek() == "static" and bool(self.take())
            kind, name = self.take(), self.take()
            if self.peek() == "(":
                functions[name] = Function(name, self._parameters(), self._block())
            else:
                assert static
                dimensions = self._indices()
                self.take(";")
                variables[name] = Variable(name, dimensions, kind == "word")
        return Text(variables, functions)

    def _parameters(self) -> tuple[str, ...]:
        self.take("(")
        found = []
        while self.peek() != ")":
            if self.take() in _TYPES and self.peek() not in (")", ","):
                found.append(self.take())
            if self.peek() == ",":
                self.take()
        self.take(")")
        return tuple(found)

    def _block(self) -> tuple[Statement, ...]:
        if self.peek() != "{":
            return (self._statement(),)
        self.take("{")
        found = []
        while self.peek() != "}":
            found.append(self._statement())
        self.take("}")
        return tuple(found)

    def _statement(self) -> Statement:
        while self.peek() == "(":  # `(void)t;` says that a parameter is not used
            while self.take() != ";":
                pass
        match self.peek():
            case "if":
                return self._if()
            case "for":
                return self._for()
            case "return":
                self.take()
                value = self._expression()
                self.take(";")
                return Return(value)
            case "assume":
                self.take()
                condition = self._expression()
                self.take(";")
                return Assume(condition)
            case _:
                return self._simple()

    def _if(self) -> If:
        self.take("if")
        self.take("(")
        condition = self._expression()
        self.take(")")
        then = self._block()
        otherwise: tuple[Statement, ...] = ()
        if self.peek() == "else":
            self.take()
            otherwise = self._block()
        return If(condition, then, otherwise)

    def _for(self) -> For:
        self.take("for")
        self.take("(")
        self.take("uint")
        name = self.take()
        for token in ("=", "0", ";", name, "<"):
            self.take(token)
        limit = self._expression()
        for token in (";", name, "++", ")"):
            self.take(token)
        return For(name, limit, self._block())

    def _simple(self) -> Statement:
        if self.peek() in _TYPES:
            self.take()
        if self.peek(1) == "(":
            call = self._primary()
            self.take(";")
            assert isinstance(call, Call)
            return Do(call)
        target = At(self.take(), self._indices())
        self.take("=")
        value = self._expression()
        self.take(";")
        return Assign(target, value)

    def _indices(self) -> tuple[Expr, ...]:
        found = []
        while self.peek() == "[":
            self.take()
            found.append(self._expression())
            self.take("]")
        return tuple(found)

    def _expression(self, level: int = 0) -> Expr:
        if level == len(_LEVELS):
            return self._primary()
        left = self._expression(level + 1)
        while self.peek() in _LEVELS[level]:
            operator = self.take()
            left = Binary(operator, left, self._expression(level + 1))
        return left

    def _primary(self) -> Expr:
        token = self.take()
        if token == "(":
            inner = self._expression()
            self.take(")")
            return inner
        if token == "!":
            return Not(self._primary())
        if token.isdigit():
            return Number(int(token))
        if self.peek() != "(":
            return At(token, self._indices())
        self.take("(")
        arguments = []
        while self.peek() != ")":
            arguments.append(self._expression())
            if self.peek() == ",":
                self.take()
        self.take(")")
        return Call(token, tuple(arguments))
