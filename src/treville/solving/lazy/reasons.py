"""A violated axiom -> the base facts that are to blame (the lazy method of DESIGN.md, decision 3).

The value of every definition on the execution is known, so a derivation of each pair of a violation is
followed down to base sets and relations, or to what holds in every execution that has the events, which needs
no explanation. A pair of a recursive definition is explained by what earlier
iterations had derived, so explanations are never circular. Absent pairs are explained too, except
through recursion, where the whole execution is blamed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, assert_never

from treville.models.evaluate import Value, iterations
from treville.models.model import Axiom, AxiomKind, Model, Node, NodeId, Operator
from treville.relations import EventId, Relation, by_event, elements


class Fact(NamedTuple):
    """A base pair, or for a set the pair of an event with itself, that holds or does not."""

    name: str
    source: EventId
    target: EventId
    holds: bool


# In place of a target, for events of sets.
NO_TARGET: Final = EventId(-1)
# Is the pair (or the event of a set) there, or is it not, wherever its events are?
Known: TypeAlias = Callable[[bool, NodeId, EventId, EventId], bool]


class Whole(Exception):
    """Only the whole execution explains the violation."""


def _nothing_is_known(_holds: bool, _node: NodeId, _source: EventId, _target: EventId) -> bool:
    return False


class Reasons:
    """Explains violations of a model on one execution of `n` events. `known` says which pairs (or events of
    sets, without a target) of a node are there, or are not, wherever their events are."""

    def __init__(
        self, model: Model, n: int, sets: Mapping[str, int], relations: Mapping[str, Relation],
        values: list[Value], known: Known = _nothing_is_known,
    ) -> None:  # fmt: skip
        self.model = model
        self.n = n
        self.values = values
        self.known = known
        self.stages = _Stages(model, n, sets, relations, values)
        self.facts: set[Fact] = set()
        self.executed: set[EventId] = set()
        self._seen: set[tuple[bool, NodeId, EventId, EventId, int]] = set()

    def of(self, axiom: Axiom) -> set[Fact]:
        """Base facts that violate the axiom; `executed` tells which events must be there as well."""
        self.facts, self.executed, self._seen = set(), set(), set()
        value = self.values[axiom.node]
        if axiom.negated:
            raise Whole
        if isinstance(value, int):
            self._explain(True, axiom.node, next(elements(value)), NO_TARGET, _LAST)
        else:
            for source, target in _violating_pairs(axiom.kind, value):
                self._explain(True, axiom.node, source, target, _LAST)
        return self.facts

    def _explain(self, holds: bool, node: NodeId, source: EventId, target: EventId, stage: int) -> None:
        """Follow a derivation with a stack of its own; sets have no target."""
        stack = [(holds, node, source, target, stage)]
        while stack:
            item = stack.pop()
            if item in self._seen:
                continue
            self._seen.add(item)
            self.executed.add(item[2])
            if item[3] >= 0:
                self.executed.add(item[3])
            if not self.known(*item[:4]):
                stack.extend(self._because(*item))

    def _because(
        self, holds: bool, index: NodeId, source: EventId, target: EventId, stage: int
    ) -> list[tuple[bool, NodeId, EventId, EventId, int]]:
        node = self.model.nodes[index]
        if node.op is Operator.BASE:
            self.facts.add(Fact(node.name, source, source if target < 0 else target, holds))
            return []
        if node.op is Operator.FIXPOINT:
            return self._recursive(holds, index, source, target, stage)
        lookup = _Lookup(self.stages, stage)
        rule = _because_present if holds else _because_absent
        parts = rule(node, source, target, lookup)
        return [(*part, stage) for part in parts]

    def _recursive(
        self, holds: bool, index: NodeId, source: EventId, target: EventId, stage: int
    ) -> list[tuple[bool, NodeId, EventId, EventId, int]]:
        if not holds:
            raise Whole
        body, born = self.stages.birth(index, source, target, stage)
        return [(True, body, source, target, born)]


_LAST = -1
Part = tuple[bool, NodeId, EventId, EventId]


class _Lookup:
    """The value of a node as of a stage of the recursion being explained."""

    def __init__(self, stages: _Stages, stage: int) -> None:
        self.stages = stages
        self.stage = stage

    def relation(self, node: NodeId) -> Relation:
        value = self.stages.value(node, self.stage)
        assert isinstance(value, Relation)
        return value

    def has(self, node: NodeId, source: EventId, target: EventId) -> bool:
        """Is the pair (or for a set the first event) in the value?"""
        value = self.stages.value(node, self.stage)
        if isinstance(value, int):
            return bool(value >> source & 1)
        return (source, target) in value


def _violating_pairs(kind: AxiomKind, value: Relation) -> list[tuple[EventId, EventId]]:
    """Pairs of a relation that make it violate an axiom."""
    match kind:
        case AxiomKind.ACYCLIC:
            cycle = value.shortest_cycle()
            assert cycle is not None
            return list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
        case AxiomKind.IRREFLEXIVE:
            return [next(pair for pair in value.pairs() if pair[0] == pair[1])]
        case AxiomKind.EMPTY:
            return [next(iter(value.pairs()))]
        case _:
            assert_never(kind)


def _because_present(node: Node, source: EventId, target: EventId, lookup: _Lookup) -> list[Part]:
    op, args = node.op, node.args
    match op:
        case Operator.UNION:
            chosen = args[0] if lookup.has(args[0], source, target) else args[1]
            return [(True, chosen, source, target)]
        case Operator.INTERSECTION:
            return [(True, arg, source, target) for arg in args]
        case Operator.COMPOSITION:
            after = lookup.relation(args[1])
            middles = elements(lookup.relation(args[0]).rows[source])
            middle = next(event for event in middles if (event, target) in after)
            return [(True, args[0], source, middle), (True, args[1], middle, target)]
        case Operator.DIFFERENCE:
            return [(True, args[0], source, target), (False, args[1], source, target)]
        case Operator.COMPLEMENT:
            return [(False, args[0], source, target)]
        case Operator.INVERSE:
            return [(True, args[0], target, source)]
        case Operator.IDENTITY_ON | Operator.PRODUCT:
            return [(True, args[0], source, NO_TARGET), (True, args[-1], target, NO_TARGET)]
        case Operator.OPTIONAL | Operator.STAR if source == target:
            return []
        case Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
            path = lookup.relation(args[0]).shortest_path(source, target)
            assert path is not None
            return [(True, args[0], one, other) for one, other in pairwise(path)]
        case Operator.DOMAIN:
            return [(True, args[0], source, next(elements(lookup.relation(args[0]).rows[source])))]
        case Operator.RANGE:
            rows = lookup.relation(args[0]).rows
            return [(True, args[0], next(i for i, row in by_event(rows) if row >> source & 1), source)]
        case Operator.EMPTY | Operator.UNIVERSE | Operator.ID:
            return []
        case Operator.BASE | Operator.FIXPOINT:
            raise AssertionError(f"{op} is explained by the execution")
        case _:
            assert_never(op)


def _because_absent(node: Node, source: EventId, target: EventId, lookup: _Lookup) -> list[Part]:
    op, args = node.op, node.args
    match op:
        case Operator.UNION:
            return [(False, arg, source, target) for arg in args]
        case Operator.INTERSECTION:
            chosen = args[0] if not lookup.has(args[0], source, target) else args[1]
            return [(False, chosen, source, target)]
        case Operator.DIFFERENCE:
            if not lookup.has(args[0], source, target):
                return [(False, args[0], source, target)]
            return [(True, args[1], source, target)]
        case Operator.COMPLEMENT:
            return [(True, args[0], source, target)]
        case Operator.INVERSE:
            return [(False, args[0], target, source)]
        case Operator.IDENTITY_ON if source != target:
            return []
        case Operator.IDENTITY_ON | Operator.PRODUCT:
            missing = (args[0], source) if not lookup.has(args[0], source, NO_TARGET) else (args[-1], target)
            return [(False, missing[0], missing[1], NO_TARGET)]
        case Operator.OPTIONAL:
            return [(False, args[0], source, target)]
        case Operator.COMPOSITION | Operator.PLUS | Operator.STAR | Operator.DOMAIN | Operator.RANGE:
            # This depends on which other events are executed, so no part of the execution alone explains it.
            raise Whole
        case Operator.EMPTY | Operator.UNIVERSE | Operator.ID:
            return []
        case Operator.BASE | Operator.FIXPOINT:
            raise AssertionError(f"{op} is explained by the execution")
        case _:
            assert_never(op)


class _Stages:
    """The values of recursive definitions after each iteration, computed when first asked for."""

    def __init__(
        self, model: Model, n: int, sets: Mapping[str, int], relations: Mapping[str, Relation],
        values: list[Value],
    ) -> None:  # fmt: skip
        self.model = model
        self.n = n
        self.values = values
        self.sets = sets
        self.relations = relations
        self.body = model.bodies()
        self.group_of = {v: number for number, g in enumerate(model.groups) for v in g.variables}
        self._history: list[list[Value]] = []
        self._offset: dict[int, tuple[int, int]] = {}

    def value(self, node: NodeId, stage: int) -> Value:
        """The value of a node, as of an iteration if it belongs to the recursion of that stage."""
        if stage == _LAST:
            return self.values[node]
        return self._history[stage][node]

    def birth(self, variable: NodeId, source: EventId, target: EventId, stage: int) -> tuple[NodeId, int]:
        """The body of a recursive definition and the earliest stage at which it gave the pair."""
        group = self.group_of[variable]
        if stage != _LAST and self._inside(group, stage):
            raise Whole
        first, last = self._iterate(group)
        body = self.body[variable]
        end = stage if first <= stage < last else last
        for number in range(first, end):
            value = self._history[number][body]
            found = value >> source & 1 if isinstance(value, int) else (source, target) in value
            if found:
                return body, number
        raise Whole

    def _inside(self, group: int, stage: int) -> bool:
        """Does the group lie inside the other group whose iteration is being explained?"""
        for number, (first, last) in self._offset.items():
            if number != group and first <= stage < last:
                outer = self.model.groups[number]
                return outer.variables[0] < self.model.groups[group].variables[0] < max(outer.bodies)
        return False

    def _iterate(self, number: int) -> tuple[int, int]:
        """Where the iterations of a group begin and end in the history."""
        if number not in self._offset:
            group = self.model.groups[number]
            first = len(self._history)
            rounds = iterations(self.model, self.n, self.sets, self.relations, group, self.values)
            self._history.extend(rounds)
            self._offset[number] = (first, len(self._history))
        return self._offset[number]
