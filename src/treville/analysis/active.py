"""Bounds and axioms -> the active pairs of every relation: those that can matter to an axiom.

The sets A of paper 004, section 4.6: axioms give the first active pairs, and each definition hands its own
down to its arguments until nothing grows. With `must` known, pairs that hold anyway are left out by
the caller where it wants to (`undecided`).
"""

from __future__ import annotations

from typing import assert_never

from treville.analysis.facts import Bounds, SetBounds
from treville.models.model import RELATION, Axiom, AxiomKind, Model, Node, NodeId, Operator
from treville.relations import Relation


def active_pairs(model: Model, bounds: list[Bounds | SetBounds]) -> list[Relation]:
    """A(r) for every relation node; sets have none."""
    n = next((b.may.n for b in bounds if isinstance(b, Bounds)), 0)
    active = [Relation.empty(n) for _ in model.nodes]
    pending: list[NodeId] = []

    def grow(index: NodeId, more: Relation) -> None:
        if model.nodes[index].kind is RELATION and not more <= active[index]:
            active[index] = active[index] | more
            pending.append(index)

    for axiom in model.axioms:
        if model.nodes[axiom.node].kind is RELATION:
            grow(axiom.node, _first(axiom, bounds[axiom.node]))
    body_of = model.bodies()
    while pending:
        index = pending.pop()
        node = model.nodes[index]
        if node.op is Operator.FIXPOINT:
            grow(body_of[index], active[index])
            continue
        relations = [(argument, bounds[argument]) for argument in node.args]
        for argument, more in _handed_down(node, active[index], relations):
            grow(argument, more)
    return active


def undecided(active: Relation, bounds: Bounds) -> Relation:
    """The active pairs that need a variable: those that do not hold anyway."""
    return active - bounds.must


def _first(axiom: Axiom, bounds: Bounds | SetBounds) -> Relation:
    assert isinstance(bounds, Bounds)
    may = bounds.may
    match axiom.kind:
        case AxiomKind.EMPTY:
            return may
        case AxiomKind.IRREFLEXIVE:
            return may & Relation.identity(may.n)
        case AxiomKind.ACYCLIC:
            return may & may.plus().inverse()
        case _:
            assert_never(axiom.kind)


def _handed_down(
    node: Node, active: Relation, arguments: list[tuple[NodeId, Bounds | SetBounds]]
) -> list[tuple[NodeId, Relation]]:
    """The pairs of each argument that matter to the active pairs of a node; sets have none."""
    op = node.op
    related = [(argument, bounds) for argument, bounds in arguments if isinstance(bounds, Bounds)]
    match op:
        case Operator.UNION | Operator.INTERSECTION | Operator.DIFFERENCE:
            return [(argument, active & bounds.may) for argument, bounds in related]
        case Operator.OPTIONAL | Operator.COMPLEMENT:
            return [(argument, active & bounds.may) for argument, bounds in related]
        case Operator.INVERSE:
            return [(related[0][0], active.inverse())]
        case Operator.COMPOSITION:
            (left, before), (right, after) = related
            return [
                (left, before.may & (active @ after.may.inverse())),
                (right, after.may & (before.may.inverse() @ active)),
            ]
        case Operator.PLUS | Operator.STAR:
            argument, bounds = related[0]
            around = bounds.may.star().inverse()
            return [(argument, bounds.may & (around @ active @ around))]
        case Operator.BASE | Operator.EMPTY | Operator.UNIVERSE | Operator.ID | Operator.FIXPOINT:
            return []
        case Operator.IDENTITY_ON | Operator.PRODUCT | Operator.DOMAIN | Operator.RANGE:
            return []
        case _:
            assert_never(op)
