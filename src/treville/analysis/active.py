"""Bounds and axioms -> the active pairs of every relation: those that can matter to an axiom.

The sets A of paper 004, section 4.6: axioms give the first active pairs, and each definition hands its own
down to its arguments until nothing grows. With `must` known, pairs that hold anyway are left out by
the caller where it wants to (`undecided`).
"""

from __future__ import annotations

from treville.analysis.facts import Bounds, SetBounds
from treville.models.model import RELATION, Axiom, Model, Node
from treville.relations import Relation


def active_pairs(model: Model, bounds: list[Bounds | SetBounds]) -> list[Relation]:
    """A(r) for every relation node; sets have none."""
    n = next((b.may.n for b in bounds if isinstance(b, Bounds)), 0)
    active = [Relation.empty(n) for _ in model.nodes]
    pending: list[int] = []

    def grow(index: int, more: Relation) -> None:
        if model.nodes[index].kind == RELATION and not more <= active[index]:
            active[index] = active[index] | more
            pending.append(index)

    for axiom in model.axioms:
        if model.nodes[axiom.node].kind == RELATION:
            grow(axiom.node, _first(axiom, bounds[axiom.node]))
    body_of = {v: b for group in model.groups for v, b in zip(group.variables, group.bodies, strict=True)}
    while pending:
        index = pending.pop()
        node = model.nodes[index]
        if node.op == "fixpoint":
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
    if axiom.kind == "empty":
        return may
    if axiom.kind == "irreflexive":
        return may & Relation.identity(may.n)
    return may & may.plus().inverse()


def _handed_down(
    node: Node, active: Relation, arguments: list[tuple[int, Bounds | SetBounds]]
) -> list[tuple[int, Relation]]:
    """The pairs of each argument that matter to the active pairs of a node."""
    related = [(argument, bounds) for argument, bounds in arguments if isinstance(bounds, Bounds)]
    if len(related) < len(arguments):
        return []
    if node.op == "inverse":
        return [(related[0][0], active.inverse())]
    if node.op in ("union", "inter", "diff", "opt"):
        return [(argument, active & bounds.may) for argument, bounds in related]
    if node.op == "complement":
        return [(related[0][0], active & related[0][1].may)]
    if node.op == "seq":
        (left, left_bounds), (right, right_bounds) = related
        back = right_bounds.may.inverse()
        forth = left_bounds.may.inverse()
        return [
            (left, left_bounds.may & (active @ back)),
            (right, right_bounds.may & (forth @ active)),
        ]
    if node.op in ("plus", "star"):
        argument, bounds = related[0]
        star = bounds.may.star()
        return [(argument, bounds.may & (star.inverse() @ active @ star.inverse()))]
    return []
