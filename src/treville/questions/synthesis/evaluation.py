"""A model over many executions side by side: the value of its definitions, and which executions it forbids.

The same rules as `models.evaluate`, one large int for all executions where that has one relation for each.
Sets are identities here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import assert_never

from treville.models.model import SET as SET_KIND
from treville.models.model import Axiom, AxiomKind, FixpointGroup, Model, Node, NodeId, Operator
from treville.questions.synthesis.listing import Executions, Value
from treville.relations.side_by_side import SideBySide


def each_group(world: Executions, operation: Callable[..., int], *values: Value) -> Value:
    """An operator of every group."""
    return tuple(operation(group, *part) for group, *part in zip(world.groups, *values, strict=True))


def violations(world: Executions, kind: AxiomKind, value: Value) -> int:
    """The executions in which an axiom over the value fails."""
    match kind:
        case AxiomKind.ACYCLIC:
            operation = SideBySide.cyclic
        case AxiomKind.IRREFLEXIVE:
            operation = SideBySide.reflexive
        case AxiomKind.EMPTY:
            operation = SideBySide.nonempty
        case _:
            assert_never(kind)
    return world.joined(each_group(world, operation, value))


class Evaluator:
    """The values of a model's nodes over some executions. `given` are values of base names that executions do
    not have: the holes of a sketch."""

    def __init__(self, model: Model, world: Executions, roots: Iterable[NodeId] | None = None) -> None:
        self.model = model
        self.world = world
        self.needed = sorted(model.below(_constrained(model) if roots is None else roots))
        self.groups = {group.variables[0]: group for group in model.groups}
        self.members = {variable for group in model.groups for variable in group.variables}
        self.values: dict[NodeId, Value] = {}
        self.given: Mapping[str, Value] = {}
        self.nothing: Value = (0,) * len(world.groups)

    def run(self, given: Mapping[str, Value] | None = None) -> None:
        """Compute everything that is needed. With other values of holes only what depends on them."""
        holes = given or {}
        changed = {name for name in holes if self.given.get(name) != holes[name]} if self.values else None
        self.given = holes
        touched = None if changed is None else self._above(changed)
        self._compute(self.needed, touched)

    def violated(self) -> int:
        """The executions that some axiom forbids."""
        out = 0
        for axiom in self.model.constraints():
            out |= self.failing(axiom)
        return out

    def failing(self, axiom: Axiom) -> int:
        """The executions that an axiom forbids."""
        found = violations(self.world, axiom.kind, self.values[axiom.node])
        return self.world.all & ~found if axiom.negated else found

    def _above(self, names: set[str]) -> set[NodeId]:
        """The nodes that mention one of these base names."""
        found: set[NodeId] = set()
        recursive: set[NodeId] = set()
        for node in self.needed:
            described = self.model.nodes[node]
            named = described.op is Operator.BASE and described.name in names
            if named or not found.isdisjoint(described.args) or node in recursive:
                found.add(node)
            if node in self.groups:  # may depend on anything behind it
                recursive.update(self.groups[node].variables)
                found.update(self.groups[node].variables)
        return found

    def _compute(self, nodes: Sequence[NodeId], touched: set[NodeId] | None) -> None:
        for index in nodes:
            if touched is not None and index not in touched:
                continue
            if index in self.groups:
                self._iterate(self.groups[index])
            elif index not in self.members:
                self.values[index] = self._value(self.model.nodes[index])

    def _iterate(self, group: FixpointGroup) -> None:
        """Iterate a recursive group from nothing; its bodies lie behind its variables."""
        for variable in group.variables:
            self.values[variable] = self.nothing
        first, last = group.variables[0], max(group.bodies)
        inside = [node for node in self.needed if first < node <= last]
        while True:
            self._compute(inside, None)
            following = [self.values[body] for body in group.bodies]
            if following == [self.values[variable] for variable in group.variables]:
                return
            for variable, value in zip(group.variables, following, strict=True):
                self.values[variable] = value

    def _value(self, node: Node) -> Value:
        world = self.world
        arguments = [self.values[argument] for argument in node.args]
        match node.op:
            case Operator.BASE:
                found = self.given.get(node.name)
                return world.base(node.name) if found is None else found
            case Operator.EMPTY:
                return self.nothing
            case Operator.UNIVERSE:
                whole = "diagonal" if node.kind is SET_KIND else "universe"
                return tuple(getattr(group, whole) for group in world.groups)
            case Operator.ID:
                return tuple(group.diagonal for group in world.groups)
            case Operator.IDENTITY_ON:
                return arguments[0]
            case Operator.COMPLEMENT:
                whole = "diagonal" if node.kind is SET_KIND else "universe"
                return tuple(
                    getattr(group, whole) & ~part
                    for group, part in zip(world.groups, arguments[0], strict=True)
                )
            case _:
                return apply(world, node.op, *arguments)


def apply(world: Executions, op: Operator, *values: Value) -> Value:
    """The value of an operator."""
    match op:
        case Operator.UNION:
            return tuple(a | b for a, b in zip(*values, strict=True))
        case Operator.INTERSECTION:
            return tuple(a & b for a, b in zip(*values, strict=True))
        case Operator.DIFFERENCE:
            return tuple(a & ~b for a, b in zip(*values, strict=True))
        case Operator.COMPOSITION:
            return each_group(world, SideBySide.compose, *values)
        case Operator.PRODUCT:
            return each_group(world, SideBySide.product, *values)
        case Operator.INVERSE:
            return each_group(world, SideBySide.inverse, *values)
        case Operator.PLUS:
            return each_group(world, SideBySide.plus, *values)
        case Operator.OPTIONAL:
            return tuple(part | group.diagonal for group, part in zip(world.groups, values[0], strict=True))
        case Operator.STAR:
            return apply(world, Operator.OPTIONAL, apply(world, Operator.PLUS, *values))
        case Operator.DOMAIN:
            return each_group(world, SideBySide.domain, *values)
        case Operator.RANGE:
            return each_group(world, SideBySide.range, *values)
        case _:
            raise AssertionError(f"{op} has no arguments that executions give")


def _constrained(model: Model) -> list[NodeId]:
    return [axiom.node for axiom in model.constraints()]
