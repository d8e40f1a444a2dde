"""The abstract syntax of cat. Every node knows the offset of its first character in its file.

Chains of the associative operators are kept flat (`a | b | c` is one `Nary`), so the depth of a tree is
bounded by the nesting of brackets, not by the length of an expression.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from treville.models.model import AxiomKind
from treville.records import NamedTuple

# -- expressions -----------------------------------------------------------------------------------


class Name(NamedTuple):
    """A variable."""

    at: int
    name: str


class Tag(NamedTuple):
    """A tag of an enumeration, written `'once`."""

    at: int
    name: str


class Empty(NamedTuple):
    """`0` or `{}`: empty, whether a set or a relation is decided by its use."""

    at: int


class Universe(NamedTuple):
    """`_`: all events."""

    at: int


class Braces(NamedTuple):
    """`{a, b}`, never empty."""

    at: int
    items: tuple[Expression, ...]


class Tuple(NamedTuple):
    """`(a, b)`; `()` is the empty one."""

    at: int
    items: tuple[Expression, ...]


# Operators of sets of any kind, and all that stand between operands.
Boolean: TypeAlias = Literal["|", "&", "\\"]
Infix: TypeAlias = Literal["|", "&", "\\", ";", "*", "++"]


class Nary(NamedTuple):
    """An infix operator (`*` is the product) with two or more operands; `\\` from the left."""

    at: int
    operator: Infix
    operands: tuple[Expression, ...]


class Unary(NamedTuple):
    """`~`, `[]` (the identity on a set), `^-1`, `?`, `+` or `*` (the closure)."""

    at: int
    operator: str
    operand: Expression


class Apply(NamedTuple):
    """A function and its argument."""

    at: int
    function: Expression
    argument: Expression


class Function(NamedTuple):
    """`fun pattern -> body`."""

    at: int
    pattern: Pattern
    body: Expression


class LetIn(NamedTuple):
    """`let [rec] bindings in body`."""

    at: int
    recursive: bool
    bindings: tuple[Binding, ...]
    body: Expression


class Try(NamedTuple):
    """`try attempt with otherwise`."""

    at: int
    attempt: Expression
    otherwise: Expression


class If(NamedTuple):
    """`if condition then a else b`."""

    at: int
    condition: Condition
    then: Expression
    otherwise: Expression


class MatchTag(NamedTuple):
    """`match e with 'a -> e1 || ... || _ -> default end`."""

    at: int
    subject: Expression
    clauses: tuple[tuple[str, Expression], ...]
    default: Expression | None


class MatchSet(NamedTuple):
    """`match e with {} -> empty || x ++ rest -> body end`. `before` is the first name of the three-part form
    `before | x ++ rest`, else None."""

    at: int
    subject: Expression
    empty: Expression
    before: str | None
    element: str
    rest: str
    body: Expression


Expression: TypeAlias = (
    Name | Tag | Empty | Universe | Braces | Tuple | Nary | Unary | Apply | Function | LetIn | Try | If
    | MatchTag | MatchSet
)  # fmt: skip


class Pattern(NamedTuple):
    """What a binding or a function binds: one name, or (with `tuple`) a tuple of names. None is `_`."""

    names: tuple[str | None, ...]
    tuple: bool


class Binding(NamedTuple):
    """`pattern = value`."""

    at: int
    pattern: Pattern
    value: Expression


# -- conditions of `if` ----------------------------------------------------------------------------


class Variant(NamedTuple):
    """A string: the variant is switched on."""

    at: int
    name: str


class Logic(NamedTuple):
    """`not`, `&&` or `||` of conditions."""

    at: int
    operator: str
    operands: tuple[Condition, ...]


class Compare(NamedTuple):
    """`=`, `subset` or `in` of two values."""

    at: int
    operator: str
    left: Expression
    right: Expression


Condition: TypeAlias = Variant | Logic | Compare


# -- instructions ----------------------------------------------------------------------------------


class Let(NamedTuple):
    """`let [rec] bindings [when test]`."""

    at: int
    recursive: bool
    bindings: tuple[Binding, ...]
    when: Test | None


class Test(NamedTuple):
    """An axiom. `role` is `check`, `flag`, `undefined_unless` or `assert`; `end` is where its text ends."""

    at: int
    end: int
    role: str
    kind: AxiomKind
    negated: bool
    expression: Expression
    name: str | None


class Show(NamedTuple):
    """`show a, b`, or `unshow` when `hide`."""

    at: int
    names: tuple[str, ...]
    hide: bool


class ShowAs(NamedTuple):
    """`show e as name`."""

    at: int
    expression: Expression
    name: str


class Include(NamedTuple):
    """`include "file"`."""

    at: int
    file: str


class Procedure(NamedTuple):
    """`procedure name(pattern) = body end`."""

    at: int
    name: str
    pattern: Pattern
    body: tuple[Instruction, ...]
    recursive: bool


class Call(NamedTuple):
    """`call procedure argument [as name]`."""

    at: int
    procedure: str
    argument: Expression
    name: str | None


class Enumeration(NamedTuple):
    """`enum name = 'a || 'b`."""

    at: int
    name: str
    tags: tuple[str, ...]


class Annotations(NamedTuple):
    """`instructions R[...]` or `default R[...]` of a bell file."""

    at: int
    event: str
    sets: tuple[Expression, ...]
    default: bool


class Forall(NamedTuple):
    """`forall x in S do body end`."""

    at: int
    variable: str
    domain: Expression
    body: tuple[Instruction, ...]


class WithFrom(NamedTuple):
    """`with x from e`: one execution for each member of e."""

    at: int
    variable: str
    expression: Expression


class Choose(NamedTuple):
    """`if condition instructions else instructions end`."""

    at: int
    condition: Condition
    then: tuple[Instruction, ...]
    otherwise: tuple[Instruction, ...]


class MatchInstruction(NamedTuple):
    """`match e with 'a -> instructions || ... end`."""

    at: int
    subject: Expression
    clauses: tuple[tuple[str, tuple[Instruction, ...]], ...]
    default: tuple[Instruction, ...] | None


class Debug(NamedTuple):
    """`debug e`: prints in herd7, nothing here."""

    at: int


Instruction: TypeAlias = (
    Let | Test | Show | ShowAs | Include | Procedure | Call | Enumeration | Annotations | Forall | WithFrom
    | Choose | MatchInstruction | Debug
)  # fmt: skip


class File(NamedTuple):
    """A parsed file: its title and its instructions."""

    title: str
    instructions: tuple[Instruction, ...]
