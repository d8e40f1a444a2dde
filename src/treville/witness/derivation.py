"""A pair of a derived relation -> the path of primitive edges (po, rf, co, fr, addr, ...) that makes it up.

The model is a DAG of operators, so a pair has a derivation tree: a union chooses a side that holds the
pair, a composition an event in the middle, a closure a shortest path, and a `let rec` name the body in
the first round of the fixpoint iteration that holds the pair, which keeps the recursion well founded
(004 section 2.3 gives the least-fixpoint semantics).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from treville.events.execution import Execution
from treville.models.evaluate import Value, iterations
from treville.models.model import FixpointGroup, Model, NodeId, Operator
from treville.relations import EventId, Relation, elements

# Derived names that people read as one edge: expanding `fr` into `rf^-1; co` explains nothing.
PRIMITIVE_NAMES = frozenset({"fr", "fre", "fri", "rfe", "rfi", "coe", "coi", "rf", "co", "po-loc", "po"})

# Names that narrow a relation without ordering anything: never the side of an intersection to show.
_FILTERS = frozenset({"int", "ext", "loc", "id", "unv"})

_MAXIMUM_DEPTH = 400


@dataclass(frozen=True, slots=True)
class Step:
    """A primitive edge. `via` are the cat names from the outermost definition down to the edge."""

    source: EventId
    target: EventId
    label: str
    via: tuple[str, ...] = ()

    def reversed(self) -> Step:
        """The same edge walked backwards."""
        label = self.label.removesuffix("^-1") if self.label.endswith("^-1") else f"{self.label}^-1"
        return Step(self.target, self.source, label, self.via)


class Deriver:
    """Expands pairs of the model's relations on one execution, given the value of every node."""

    def __init__(self, execution: Execution, model: Model, values: list[Value]) -> None:
        self._execution = execution
        self.model = model
        self.values = values
        self.height = _heights(model)
        self._group_of = {variable: group for group in model.groups for variable in group.variables}
        self._rounds: dict[FixpointGroup, list[list[Value]]] = {}

    def expand(self, node: NodeId, source: EventId, target: EventId) -> list[Step]:
        """The primitive steps that lead from `source` to `target` within the node's relation."""
        return self._expand(node, source, target, self.values, (), 0)

    def holds(self, node: NodeId, source: EventId, target: EventId, values: list[Value]) -> bool:
        """Whether the pair is in the node's relation in the given round."""
        value = values[node]
        return isinstance(value, Relation) and (source, target) in value

    def _expand(
        self,
        number: NodeId,
        source: EventId,
        target: EventId,
        values: list[Value],
        via: tuple[str, ...],
        depth: int,
    ) -> list[Step]:
        node = self.model.nodes[number]
        if node.name and node.op is not Operator.BASE and (not via or via[-1] != node.name):
            via = (*via, node.name)
        known = self.holds(number, source, target, values)
        if node.op is Operator.BASE or node.name in PRIMITIVE_NAMES or depth > _MAXIMUM_DEPTH or not known:
            return [Step(source, target, node.name or node.op.value, via)]

        def further(argument: NodeId, a: EventId, b: EventId) -> list[Step]:
            return self._expand(argument, a, b, values, via, depth + 1)

        op = node.op
        match op:
            case Operator.UNION:
                holding = [a for a in node.args if self.holds(a, source, target, values)] or node.args
                return further(min(holding, key=lambda a: self.height[a]), source, target)
            case Operator.INTERSECTION:
                return self._narrowed(node.name, further(self._telling(node.args), source, target))
            case Operator.DIFFERENCE:
                return self._narrowed(node.name, further(node.args[0], source, target))
            case Operator.COMPOSITION:
                middle = self._middle(node.args, source, target, values)
                steps = further(node.args[0], source, middle) + further(node.args[1], middle, target)
                return self._narrowed(node.name, steps)
            case Operator.INVERSE:
                return [step.reversed() for step in reversed(further(node.args[0], target, source))]
            case Operator.OPTIONAL:
                return [] if source == target else further(node.args[0], source, target)
            case Operator.STAR if source == target:
                return []
            case Operator.PLUS | Operator.STAR:
                return self._closure(node.args[0], source, target, values, further)
            case Operator.IDENTITY_ON | Operator.ID:
                return []
            case Operator.FIXPOINT:
                return self._recursive(number, source, target, via, depth)
            case Operator.EMPTY | Operator.UNIVERSE | Operator.COMPLEMENT | Operator.PRODUCT:
                return [Step(source, target, self._formula(number), via)]
            case Operator.DOMAIN | Operator.RANGE:
                raise AssertionError(f"{op} is a set")
            case Operator.BASE:
                raise AssertionError("a base relation is a step already")
            case _:
                assert_never(op)

    def _narrowed(self, name: str, steps: list[Step]) -> list[Step]:
        """A named restriction of a primitive relation keeps its own name: `po-loc`, `rfe`, `dmb`."""
        if name and len(steps) == 1 and steps[0].label in PRIMITIVE_NAMES:
            only = steps[0]
            label = only.label if only.label in ("fr", "po") and not _renames(name, only.label) else name
            return [Step(only.source, only.target, label, only.via)]
        return steps

    def _telling(self, arguments: tuple[NodeId, ...]) -> NodeId:
        """The side of an intersection that orders events rather than narrows the other one."""
        return next((a for a in arguments if not self._is_filter(a)), arguments[0])

    def _is_filter(self, number: NodeId) -> bool:
        node = self.model.nodes[number]
        if node.name in _FILTERS:
            return True
        match node.op:
            case Operator.PRODUCT | Operator.COMPLEMENT | Operator.UNIVERSE | Operator.ID:
                return True
            case Operator.UNION | Operator.INTERSECTION | Operator.DIFFERENCE | Operator.INVERSE:
                return all(self._is_filter(argument) for argument in node.args)
            case Operator.BASE | Operator.EMPTY | Operator.COMPOSITION | Operator.IDENTITY_ON:
                return False
            case Operator.OPTIONAL | Operator.PLUS | Operator.STAR | Operator.FIXPOINT:
                return False
            case Operator.DOMAIN | Operator.RANGE:
                return False
            case _:
                assert_never(node.op)

    def conjuncts(self, number: NodeId) -> list[NodeId]:
        """The sides of a (nested) intersection that are worth showing, or the node itself."""
        node = self.model.nodes[number]
        if node.op is not Operator.INTERSECTION:
            return [number]
        telling = [a for a in node.args if not self._is_filter(a)] or list(node.args[:1])
        return [part for argument in telling for part in self.conjuncts(argument)]

    def _middle(
        self, arguments: tuple[NodeId, ...], source: EventId, target: EventId, values: list[Value]
    ) -> EventId:
        left, right = values[arguments[0]], values[arguments[1]]
        assert isinstance(left, Relation)
        assert isinstance(right, Relation)
        candidates = [m for m in elements(left.rows[source]) if right.rows[m] >> target & 1]
        # An end of the pair as the middle means that one side is an identity: the shortest derivation.
        return next((m for m in candidates if m in (source, target)), candidates[0])

    def _closure(
        self,
        argument: NodeId,
        source: EventId,
        target: EventId,
        values: list[Value],
        further: Callable[[NodeId, EventId, EventId], list[Step]],
    ) -> list[Step]:
        inner = values[argument]
        assert isinstance(inner, Relation)
        path = inner.shortest_path(source, target) or [source, target]
        return [step for a, b in itertools.pairwise(path) for step in further(argument, a, b)]

    def _recursive(
        self, variable: NodeId, source: EventId, target: EventId, via: tuple[str, ...], depth: int
    ) -> list[Step]:
        group = self._group_of[variable]
        if group not in self._rounds:
            size = len(self._execution.events)
            sets, relations = self._execution.sets, self._execution.relations
            self._rounds[group] = iterations(self.model, size, sets, relations, group, self.values)
        rounds = self._rounds[group]
        first = next((k for k, r in enumerate(rounds) if self.holds(variable, source, target, r)), None)
        if not first:
            return [Step(source, target, self.model.nodes[variable].name, via)]
        body = group.bodies[group.variables.index(variable)]
        return self._expand(body, source, target, rounds[first - 1], via, depth + 1)

    def _formula(self, number: NodeId) -> str:
        """A short cat formula for a node that cannot be expanded, such as a product or a complement."""
        node = self.model.nodes[number]
        if node.name:
            return node.name
        inner = [self.model.nodes[argument] for argument in node.args]
        parts = [argument.name or argument.op.value for argument in inner]
        if node.op is Operator.PRODUCT:
            return f"{parts[0]}*{parts[1]}"
        return f"~{parts[0]}" if node.op is Operator.COMPLEMENT else node.op.value


def _renames(name: str, label: str) -> bool:
    """`po-loc` tells more than `po`; `ppo` or `hb` would hide that the edge is program order."""
    return name.startswith(label)


def _heights(model: Model) -> list[int]:
    """How far each node is from primitive relations: unions prefer the lower side."""
    height = [0] * len(model.nodes)
    for number, node in model.numbered():
        if node.op is Operator.FIXPOINT:
            height[number] = 1000
        elif node.name not in PRIMITIVE_NAMES:
            height[number] = 1 + max((height[a] for a in node.args), default=-1)
    return height
