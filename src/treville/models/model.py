"""A memory model after resolution: a DAG of set and relation definitions, and axioms over it.

The cat front end (`models.cat`) produces it; the evaluators, the relation analysis and the encoders
consume it. Nodes are hash-consed and stored in topological order, so one pass over `nodes`
evaluates everything; the members of a `let rec` group are the one exception (see `FixpointGroup`).
A model never changes: `models.extend` makes others from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, assert_never, cast

from treville.records import dataclass, field
from treville.results import Span

if TYPE_CHECKING:

    class NodeId(int):
        """The number of a definition: its place in `Model.nodes`."""

else:
    NodeId = int

_KEPT = 64  # models whose derived facts are remembered: each question asks for them several times


class Kind(Enum):
    """What a definition is: a set of events, or a relation between them."""

    SET = "set"
    RELATION = "relation"

    __hash__ = object.__hash__  # members are unique; Enum's own hash is slow, and tables are keyed by these

    def __str__(self) -> str:
        return self.value


# By the short names, which are also the fast ones: members of an enum are slow to look up in Python 3.11.
SET: Final = Kind.SET
RELATION: Final = Kind.RELATION


class Operator(Enum):
    """What a definition is made by. Whoever looks at operators matches all of them and ends in
    `assert_never`, so that a new one is a type error wherever it was forgotten."""

    BASE = "base"  # ()  a set or relation given by the execution (`po`, `rf`, `W`, ...), by its name
    EMPTY = "empty"  # ()  the empty set or relation
    UNIVERSE = "universe"  # ()  all events, or all pairs
    ID = "id"  # ()  the identity
    UNION = "union"  # (a, b)  of two sets or of two relations
    INTERSECTION = "inter"  # (a, b)
    DIFFERENCE = "diff"  # (a, b)
    COMPLEMENT = "complement"  # (a)  of a set or relation
    COMPOSITION = "seq"  # (r, s)  r; s
    PRODUCT = "product"  # (S, T)  S * T
    INVERSE = "inverse"  # (r)  r^-1
    OPTIONAL = "opt"  # (r)  r?
    PLUS = "plus"  # (r)  r+
    STAR = "star"  # (r)  r*
    IDENTITY_ON = "identity"  # (S)  [S]
    DOMAIN = "domain"  # (r)  the set of sources
    RANGE = "range"  # (r)  the set of targets
    FIXPOINT = "fixpoint"  # ()  a name bound by `let rec`; its body is in the group

    __hash__ = object.__hash__  # as for Kind

    def __str__(self) -> str:
        return self.value


ClosureOperator: TypeAlias = Literal[Operator.OPTIONAL, Operator.PLUS, Operator.STAR]
StepsOperator: TypeAlias = Literal[Operator.PLUS, Operator.STAR]
ProjectionOperator: TypeAlias = Literal[Operator.DOMAIN, Operator.RANGE]


def negative(op: Operator, args: tuple[NodeId, ...]) -> tuple[NodeId, ...]:
    """The operands of which more may make the result less; an operator is monotone in all others."""
    match op:
        case Operator.DIFFERENCE:
            return args[1:]
        case Operator.COMPLEMENT:
            return args
        case Operator.UNION | Operator.INTERSECTION | Operator.COMPOSITION | Operator.PRODUCT:
            return ()
        case Operator.INVERSE | Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
            return ()
        case Operator.IDENTITY_ON | Operator.DOMAIN | Operator.RANGE:
            return ()
        case Operator.BASE | Operator.EMPTY | Operator.UNIVERSE | Operator.ID | Operator.FIXPOINT:
            return ()
        case _:
            assert_never(op)


class AxiomKind(Enum):
    """What an axiom asks of a relation; `empty` also of a set."""

    ACYCLIC = "acyclic"
    IRREFLEXIVE = "irreflexive"
    EMPTY = "empty"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Node:
    """One definition: operator, argument nodes, and its kind.

    `name` is the base name for `BASE`, else the first cat name that was bound to it (for people)."""

    op: Operator
    args: tuple[NodeId, ...]
    kind: Kind
    name: str = ""


@dataclass(frozen=True, slots=True)
class FixpointGroup:
    """The members of one `let rec ... and ...`: `variables[i]` is the `FIXPOINT` node that stands for the
    name inside the bodies, `bodies[i]` the node of its right-hand side. The value is what iteration from the
    empty sets and relations ends in: the least fixpoint where the group is `monotone`, that is, where no name
    occurs in a `negative` operand."""

    variables: tuple[NodeId, ...]
    bodies: tuple[NodeId, ...]
    monotone: bool = True


@dataclass(frozen=True, slots=True)
class Axiom:
    """A test of a node; with `negated` the opposite is required. A `flag` axiom does not forbid the
    execution but reports its name when it holds; `undefined` marks `undefined_unless`: where it does not
    hold the program has undefined behaviour."""

    kind: AxiomKind
    negated: bool
    node: NodeId
    name: str
    flag: bool = False
    undefined: bool = False
    span: Span | None = None

    @property
    def is_constraint(self) -> bool:
        """Does it forbid executions, rather than say something about them?"""
        return not (self.flag or self.undefined)


def _nothing() -> Mapping[str, NodeId]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A resolved model. `shown` lists the names that `show` asks for in pictures and `drawn` maps them to
    their nodes; `definitions` maps every top-level cat name to its node, so that users can ask for any
    relation. `title` is the name that the file gives itself, `shipped` the shipped model that has the same
    content, or that this one was derived from (see `models.identity`)."""

    name: str
    nodes: tuple[Node, ...] = ()
    groups: tuple[FixpointGroup, ...] = ()
    axioms: tuple[Axiom, ...] = ()
    definitions: Mapping[str, NodeId] = field(default_factory=_nothing)
    shown: tuple[str, ...] = ()
    file: str = ""
    title: str = ""
    drawn: Mapping[str, NodeId] = field(default_factory=_nothing)
    shipped: str | None = None

    def numbered(self) -> Iterator[tuple[NodeId, Node]]:
        """The definitions with their numbers."""
        return cast(Iterator[tuple[NodeId, Node]], enumerate(self.nodes))

    def constraints(self) -> tuple[Axiom, ...]:
        """The axioms that forbid executions; flags do not."""
        return tuple(axiom for axiom in self.axioms if axiom.is_constraint)

    def bodies(self) -> dict[NodeId, NodeId]:
        """The right-hand side of every recursive name."""
        return {v: b for group in self.groups for v, b in zip(group.variables, group.bodies, strict=True)}

    def needed(self) -> frozenset[NodeId]:
        """The nodes that the axioms depend on, members of recursive definitions included."""
        return _needed(self)

    def below(self, roots: Iterable[NodeId]) -> set[NodeId]:
        """The nodes that the roots depend on, themselves and members of recursive definitions included."""
        groups = {variable: group for group in self.groups for variable in group.variables}
        found: set[NodeId] = set()
        stack = list(roots)
        while stack:
            current = stack.pop()
            if current not in found:
                found.add(current)
                stack.extend(self.nodes[current].args)
                if group := groups.get(current):
                    stack.extend(group.variables + group.bodies)
        return found

    def base_names(self) -> frozenset[str]:
        """The base sets and relations that the model reads."""
        return _base_names(self)


@lru_cache(maxsize=_KEPT)
def _needed(model: Model) -> frozenset[NodeId]:
    return frozenset(model.below(axiom.node for axiom in model.axioms))


@lru_cache(maxsize=_KEPT)
def _base_names(model: Model) -> frozenset[str]:
    base = Operator.BASE
    return frozenset(node.name for node in model.nodes if node.op is base)
