"""A model -> the models that are one step weaker: an axiom less, or a part less of what an axiom is about.

A part is one side of a union, wherever the axiom's relation grows with it: below unions, compositions,
intersections, closures and recursive definitions, and on the left of differences.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.models.model import RELATION, Axiom, FixpointGroup, Model, Node, NodeId, Operator
from treville.records import dataclass, replace
from treville.witness.explanation import relation_name

_GROWING = (
    Operator.UNION, Operator.INTERSECTION, Operator.COMPOSITION, Operator.INVERSE, Operator.OPTIONAL,
    Operator.PLUS, Operator.STAR,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A weaker model. `axiom` is the one that was relaxed, `left_out` what is missing of it; the empty text
    if all of it is."""

    axiom: str
    left_out: str
    model: Model

    def __str__(self) -> str:
        return f"{self.axiom} without {self.left_out}" if self.left_out else f"no {self.axiom}"


def relaxations(model: Model) -> Iterator[Relaxation]:
    """All of them: axiom by axiom, the axiom itself first."""
    for number, axiom in enumerate(model.axioms):
        if not axiom.is_constraint:
            continue
        others = (*model.axioms[:number], *model.axioms[number + 1 :])
        weaker = replace(model, axioms=others, shipped=None, name=f"{model.name} without {axiom.name}")
        yield Relaxation(axiom.name, "", weaker)
        if not axiom.negated:
            for union, kept, dropped in _parts(model, axiom.node):
                missing = relation_name(model, dropped)
                yield Relaxation(axiom.name, missing, _without(model, axiom, union, kept, missing))


def _parts(model: Model, root: NodeId) -> Iterator[tuple[NodeId, NodeId, NodeId]]:
    """Unions with the side that is kept and the one that is left out; sides that are unions themselves are
    left out part by part."""
    bodies, seen, stack = model.bodies(), set[NodeId](), [root]
    while stack:
        number = stack.pop()
        if number in seen:
            continue
        seen.add(number)
        node = model.nodes[number]
        if node.op is Operator.FIXPOINT:
            stack.append(bodies[number])
        elif node.op is Operator.DIFFERENCE:
            stack.append(node.args[0])
        elif node.op in _GROWING:
            stack += reversed(node.args)
        if node.op is Operator.UNION and node.kind is RELATION:
            one, other = node.args
            for kept, dropped in ((one, other), (other, one)):
                if model.nodes[dropped].op is not Operator.UNION:
                    yield number, kept, dropped


def _without(model: Model, axiom: Axiom, union: NodeId, kept: NodeId, missing: str) -> Model:
    """The model with a second copy of all definitions for the axiom, in which the union has one side."""
    count = len(model.nodes)

    def moved(number: NodeId) -> NodeId:
        return NodeId(number + count)

    def copied(number: NodeId, node: Node) -> Node:
        args = (kept, kept) if number == union else node.args
        return replace(node, args=tuple(map(moved, args)))

    nodes = (*model.nodes, *(copied(number, node) for number, node in model.numbered()))
    groups = tuple(
        FixpointGroup(tuple(map(moved, g.variables)), tuple(map(moved, g.bodies)), g.monotone)
        for g in model.groups
    )
    axioms = tuple(replace(axiom, node=moved(axiom.node)) if each is axiom else each for each in model.axioms)
    name = f"{model.name} with {axiom.name} without {missing}"
    return replace(
        model, nodes=nodes, groups=(*model.groups, *groups), axioms=axioms, shipped=None, name=name
    )
