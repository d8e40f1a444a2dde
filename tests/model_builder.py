"""Models built by hand, definition by definition, with operators and kinds in cat's own words."""

from __future__ import annotations

from typing import Final, Literal

from treville.models.model import (
    RELATION,
    SET,
    Axiom,
    AxiomKind,
    FixpointGroup,
    Kind,
    Model,
    Node,
    NodeId,
    Operator,
)

# What an operator takes, and what it makes of that; `both` makes sets of sets and relations of relations.
BOTH: Final = "both"
SAME: Final = "same"
ARGUMENTS: dict[Operator, tuple[Kind | Literal["both"], tuple[Kind | Literal["same"], ...]]] = {
    Operator.BASE: (BOTH, ()),
    Operator.EMPTY: (BOTH, ()),
    Operator.UNIVERSE: (BOTH, ()),
    Operator.ID: (RELATION, ()),
    Operator.UNION: (BOTH, (SAME, SAME)),
    Operator.INTERSECTION: (BOTH, (SAME, SAME)),
    Operator.DIFFERENCE: (BOTH, (SAME, SAME)),
    Operator.COMPLEMENT: (BOTH, (SAME,)),
    Operator.COMPOSITION: (RELATION, (RELATION, RELATION)),
    Operator.PRODUCT: (RELATION, (SET, SET)),
    Operator.INVERSE: (RELATION, (RELATION,)),
    Operator.OPTIONAL: (RELATION, (RELATION,)),
    Operator.PLUS: (RELATION, (RELATION,)),
    Operator.STAR: (RELATION, (RELATION,)),
    Operator.IDENTITY_ON: (RELATION, (SET,)),
    Operator.DOMAIN: (SET, (RELATION,)),
    Operator.RANGE: (SET, (RELATION,)),
    Operator.FIXPOINT: (BOTH, ()),
}

class ModelBuilder:
    """What was added so far; `model` is the model of it. With `shared`, equal definitions are one."""

    def __init__(self, name: str, shared: bool = False) -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.axioms: list[Axiom] = []
        self.groups: list[FixpointGroup] = []
        self.definitions: dict[str, NodeId] = {}
        self.shared = shared

    def node(self, op: str, *args: NodeId, kind: str = "relation", name: str = "") -> NodeId:
        entry = Node(Operator(op), args, Kind(kind), name)
        if self.shared and entry in self.nodes:
            return NodeId(self.nodes.index(entry))
        self.nodes.append(entry)
        number = NodeId(len(self.nodes) - 1)
        if name:
            self.definitions[name] = number
        return number

    def base(self, name: str, kind: str = "relation") -> NodeId:
        return self.node("base", kind=kind, name=name)

    def union(self, *args: NodeId) -> NodeId:
        first, *rest = args
        for other in rest:
            first = self.node("union", first, other)
        return first

    def axiom(self, kind: str, node: NodeId, name: str, negated: bool = False, flag: bool = False) -> Axiom:
        axiom = Axiom(AxiomKind(kind), negated, node, name, flag)
        self.axioms.append(axiom)
        return axiom

    def fixpoint(self, variables: tuple[NodeId, ...], bodies: tuple[NodeId, ...]) -> None:
        self.groups.append(FixpointGroup(variables, bodies))

    @property
    def model(self) -> Model:
        return Model(
            self.name,
            tuple(self.nodes),
            tuple(self.groups),
            tuple(self.axioms),
            dict(self.definitions),
        )
