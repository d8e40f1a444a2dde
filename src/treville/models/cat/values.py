"""What cat expressions evaluate to while a model is resolved.

Sets and relations of events are indices of graph nodes (`NodeId`). Everything else is known
statically: tags, sets of tags, tuples, functions, procedures and the two ways to choose an order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from treville.models.cat import syntax
from treville.models.model import Kind, NodeId
from treville.records import dataclass
from treville.results import Source

Environment: TypeAlias = "dict[str, Value]"


@dataclass(frozen=True, slots=True)
class Nothing:
    """`0` or `{}` before its use says what kind of empty it is."""


EMPTY = Nothing()


@dataclass(frozen=True, slots=True)
class TagValue:
    """`'once`."""

    name: str


@dataclass(frozen=True, slots=True)
class StaticSet:
    """A set of values that is known before any execution: tags, or sets and relations."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class TupleValue:
    """`(a, b)`."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function with the names that were visible at its definition."""

    pattern: syntax.Pattern
    body: syntax.Expression
    environment: Environment
    source: Source


@dataclass(frozen=True, slots=True)
class Primitive:
    """A built-in function; `apply` gets the evaluator, the argument, and where in the file it is applied."""

    name: str
    apply: Callable[[Any, Value, int], Value]


@dataclass(frozen=True, slots=True, eq=False)
class ProcedureValue:
    """A procedure with the names that were visible at its definition."""

    pattern: syntax.Pattern
    body: tuple[syntax.Instruction, ...]
    environment: Environment
    source: Source


@dataclass(frozen=True, slots=True)
class CoherenceOrders:
    """All ways to order the writes of a set totally per location, extending a relation."""

    writes: NodeId
    extending: NodeId


Value: TypeAlias = (
    NodeId
    | Nothing
    | TagValue
    | StaticSet
    | TupleValue
    | Closure
    | Primitive
    | ProcedureValue
    | CoherenceOrders
)

_DESCRIPTIONS: dict[type, str] = {
    Nothing: "the empty set",
    TagValue: "a tag",
    StaticSet: "a set of tags",
    TupleValue: "a tuple",
    Closure: "a function",
    Primitive: "a function",
    ProcedureValue: "a procedure",
    CoherenceOrders: "a set of orders",
}


def describe(value: Value, kinds: list[Kind]) -> str:
    """What a value is, for error messages."""
    if isinstance(value, int):
        return f"a {kinds[value]}"
    return _DESCRIPTIONS[type(value)]
