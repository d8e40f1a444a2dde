"""A pair of a definition on an evaluated execution -> the pairs of its operands that it follows from.

The model is a DAG of operators, so a pair has a derivation: a union has it from a side, a composition by way
of an event in the middle, a closure along a shortest path, and a `let rec` name from its body in the first
iteration that gave it, which keeps the recursion well founded (004 section 2.3 gives the least-fixpoint
semantics). What is shown to people (`witness.derivation`) and what is blamed for a violation
(`solving.lazy.reasons`) follow these steps down to base relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import assert_never

from treville.models.evaluate import Value, iterations
from treville.models.model import Model, NodeId, Operator
from treville.records import NamedTuple
from treville.relations import EventId, Relation, by_event, elements

# The stage at which everything has its final value. Others are iterations of recursive definitions.
LAST = -1
# The target of what is about an event of a set instead of a pair.
NO_EVENT = EventId(-1)

Side = Callable[[Sequence[NodeId]], NodeId]
Middle = Callable[[Iterator[EventId], EventId, EventId], EventId]


class Part(NamedTuple):
    """A pair (or an event of a set) that is in a definition at a stage of the recursion, or is not."""

    holds: bool
    node: NodeId
    source: EventId
    target: EventId
    stage: int = LAST


class NoDerivation(Exception):
    """The pair is in a recursive definition inside another one that is followed at an earlier stage."""


def _first_side(sides: Sequence[NodeId]) -> NodeId:
    return sides[0]


def _first_middle(middles: Iterator[EventId], _source: EventId, _target: EventId) -> EventId:
    return next(middles)


class Derivations:
    """The derivations on one execution of `n` events. Where several exist, `side` and `middle` choose: among
    the sides of a union that have the pair, and among the events in the middle of a composition."""

    def __init__(
        self, model: Model, n: int, sets: Mapping[str, int], relations: Mapping[str, Relation],
        values: list[Value], side: Side = _first_side, middle: Middle = _first_middle,
    ) -> None:  # fmt: skip
        self.model, self.values = model, values
        self._execution = n, sets, relations
        self._side, self._middle = side, middle
        self._body = model.bodies()
        self._group_of = {v: number for number, g in enumerate(model.groups) for v in g.variables}
        self._history: list[list[Value]] = []
        self._range: dict[int, range] = {}

    # -- values ----------------------------------------------------------------------------------------------

    def value(self, node: NodeId, stage: int = LAST) -> Value:
        """The value of a definition at a stage."""
        return self.values[node] if stage == LAST else self._history[stage][node]

    def relation(self, node: NodeId, stage: int = LAST) -> Relation:
        """The same, of a relation."""
        value = self.value(node, stage)
        assert isinstance(value, Relation)
        return value

    def has(self, node: NodeId, source: EventId, target: EventId, stage: int = LAST) -> bool:
        """Is the pair in the relation, or the first event in the set?"""
        value = self.value(node, stage)
        return bool(value >> source & 1) if isinstance(value, int) else (source, target) in value

    # -- steps -----------------------------------------------------------------------------------------------

    def because(self, node: NodeId, source: EventId, target: EventId, stage: int = LAST) -> list[Part]:
        """What a pair (or event) that is there follows from; nothing for base and constant definitions."""
        op, args = self.model.nodes[node].op, self.model.nodes[node].args

        def part(argument: NodeId, one: EventId, other: EventId, holds: bool = True) -> Part:
            return Part(holds, argument, one, other, stage)

        match op:
            case Operator.UNION:
                sides = [side for side in args if self.has(side, source, target, stage)]
                return [part(self._side(sides), source, target)]
            case Operator.INTERSECTION:
                return [part(argument, source, target) for argument in args]
            case Operator.DIFFERENCE:
                return [part(args[0], source, target), part(args[1], source, target, False)]
            case Operator.COMPLEMENT:
                return [part(args[0], source, target, False)]
            case Operator.COMPOSITION:
                middle = self._middle(self._middles(args, source, target, stage), source, target)
                return [part(args[0], source, middle), part(args[1], middle, target)]
            case Operator.INVERSE:
                return [part(args[0], target, source)]
            case Operator.IDENTITY_ON | Operator.PRODUCT:
                return [part(args[0], source, NO_EVENT), part(args[-1], target, NO_EVENT)]
            case Operator.OPTIONAL | Operator.STAR if source == target:
                return []
            case Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
                path = self.relation(args[0], stage).shortest_path(source, target)
                assert path is not None
                return [part(args[0], one, other) for one, other in pairwise(path)]
            case Operator.DOMAIN:
                return [part(args[0], source, next(elements(self.relation(args[0], stage).rows[source])))]
            case Operator.RANGE:
                rows = self.relation(args[0], stage).rows
                return [part(args[0], next(i for i, row in by_event(rows) if row >> source & 1), source)]
            case Operator.FIXPOINT:
                return [self._birth(node, source, target, stage)]
            case Operator.BASE | Operator.EMPTY | Operator.UNIVERSE | Operator.ID:
                return []
            case _:
                assert_never(op)

    def _middles(
        self, args: tuple[NodeId, ...], source: EventId, target: EventId, stage: int
    ) -> Iterator[EventId]:
        """The events that a composition may go by."""
        after = self.relation(args[1], stage).rows
        reached = elements(self.relation(args[0], stage).rows[source])
        return (event for event in reached if after[event] >> target & 1)

    # -- recursion -------------------------------------------------------------------------------------------

    def _birth(self, variable: NodeId, source: EventId, target: EventId, stage: int) -> Part:
        """The body of a recursive definition at the earliest stage at which it gave the pair."""
        group, body = self._group_of[variable], self._body[variable]
        if stage != LAST and self._inside(group, stage):
            raise NoDerivation
        stages = self._iterate(group)
        for number in range(stages.start, stage) if stage in stages else stages:
            if self.has(body, source, target, number):
                return Part(True, body, source, target, number)
        raise NoDerivation

    def _inside(self, group: int, stage: int) -> bool:
        """Does the group lie inside the other group whose iteration is being followed?"""
        for number, stages in self._range.items():
            if number != group and stage in stages:
                outer = self.model.groups[number]
                return outer.variables[0] < self.model.groups[group].variables[0] < max(outer.bodies)
        return False

    def _iterate(self, number: int) -> range:
        """The stages of a group: its iterations, computed when first asked for."""
        if number not in self._range:
            first = len(self._history)
            group = self.model.groups[number]
            self._history.extend(iterations(self.model, *self._execution, group, self.values))
            self._range[number] = range(first, len(self._history))
        return self._range[number]
