"""A violated axiom -> the base facts that are to blame (the lazy method of DESIGN.md, decision 3).

A derivation (`models.derivation`) of each pair of a violation is followed down to base sets and relations, or
to what holds in every execution that has the events, which needs no explanation. Absent pairs are explained
too, except through recursion, where the whole execution is blamed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, assert_never

from treville.models.derivation import NO_EVENT, Derivations, NoDerivation, Part
from treville.models.evaluate import Value
from treville.models.model import Axiom, AxiomKind, Model, Node, NodeId, Operator
from treville.records import NamedTuple
from treville.relations import EventId, Relation, elements


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
        self.values = values
        self.known = known
        self.derivations = Derivations(model, n, sets, relations, values)
        self.facts: set[Fact] = set()
        self.executed: set[int] = set()
        self._seen: set[Part] = set()

    def of(self, axiom: Axiom) -> set[Fact]:
        """Base facts that violate the axiom; `executed` tells which events must be there as well."""
        self.facts, self.executed, self._seen = set(), set(), set()
        value = self.values[axiom.node]
        if axiom.negated:
            raise Whole
        if isinstance(value, int):
            self._explain(Part(True, axiom.node, next(elements(value)), NO_EVENT))
        else:
            for source, target in _violating_pairs(axiom.kind, value):
                self._explain(Part(True, axiom.node, source, target))
        return self.facts

    def _explain(self, violating: Part) -> None:
        """Follow a derivation with a stack of its own."""
        stack = [violating]
        while stack:
            part = stack.pop()
            if part in self._seen:
                continue
            self._seen.add(part)
            self.executed.add(part.source)
            if part.target != NO_EVENT:
                self.executed.add(part.target)
            if not self.known(*part[:4]):
                stack.extend(self._because(part))

    def _because(self, part: Part) -> list[Part]:
        holds, index, source, target, stage = part
        node = self.model.nodes[index]
        if node.op is Operator.BASE:
            self.facts.add(Fact(node.name, source, source if target == NO_EVENT else target, holds))
            return []
        if not holds:
            return _because_absent(node, part, self.derivations)
        try:
            return self.derivations.because(index, source, target, stage)
        except NoDerivation:
            raise Whole from None


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


def _because_absent(node: Node, absent: Part, derivations: Derivations) -> list[Part]:
    """What the absence of a pair follows from."""
    op, args = node.op, node.args
    _, _, source, target, stage = absent

    def part(argument: NodeId, one: EventId = source, other: EventId = target, holds: bool = False) -> Part:
        return Part(holds, argument, one, other, stage)

    match op:
        case Operator.UNION:
            return [part(argument) for argument in args]
        case Operator.INTERSECTION:
            return [part(args[1] if derivations.has(args[0], source, target, stage) else args[0])]
        case Operator.DIFFERENCE if derivations.has(args[0], source, target, stage):
            return [part(args[1], holds=True)]
        case Operator.DIFFERENCE | Operator.OPTIONAL:
            return [part(args[0])]
        case Operator.COMPLEMENT:
            return [part(args[0], holds=True)]
        case Operator.INVERSE:
            return [part(args[0], target, source)]
        case Operator.IDENTITY_ON if source != target:
            return []
        case Operator.IDENTITY_ON | Operator.PRODUCT if derivations.has(args[0], source, NO_EVENT, stage):
            return [part(args[-1], target, NO_EVENT)]
        case Operator.IDENTITY_ON | Operator.PRODUCT:
            return [part(args[0], source, NO_EVENT)]
        case Operator.COMPOSITION | Operator.PLUS | Operator.STAR | Operator.DOMAIN | Operator.RANGE:
            # This depends on which other events are executed, so no part of the execution alone explains it.
            raise Whole
        case Operator.FIXPOINT:
            raise Whole
        case Operator.EMPTY | Operator.UNIVERSE | Operator.ID:
            return []
        case Operator.BASE:
            raise AssertionError("a base relation is explained by the execution")
        case _:
            assert_never(op)
