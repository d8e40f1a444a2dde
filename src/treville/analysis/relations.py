"""Facts and a model -> the bounds of every node: which pairs it may hold, and which it must.

`may` is the may set M of paper 004, section 4.6; `must` holds in every execution that executes the
events concerned, which also sharpens `may` of a difference. Recursive definitions are iterated from the
empty relation; a recursion through negation (the matching of RCU locks in the Linux model) has a meaning
only where it does not depend on the execution, and is then computed as the evaluator does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias, assert_never, cast

from treville.analysis.facts import Bounds, SetBounds
from treville.models.model import SET, FixpointGroup, Model, Node, NodeId, Operator
from treville.relations import Relation
from treville.results import TooLarge

MAX_ITERATIONS = 5_000


class NotEncodable(TooLarge):
    """The model cannot be bounded on this program; the lazy engine still evaluates it."""


class EventFacts(Protocol):
    """What is known of events and base relations before solving: see `analysis.facts.Facts`."""

    @property
    def n(self) -> int:
        """How many events there are."""

    @property
    def live(self) -> int:
        """The events that may be executed."""

    @property
    def always(self) -> int:
        """The events that are executed in every execution."""

    @property
    def implied(self) -> Sequence[int]:
        """For each event those that are executed whenever it is."""

    @property
    def compatible(self) -> Sequence[int]:
        """For each event those that may be executed in one run with it."""

    @property
    def sets(self) -> Mapping[str, SetBounds]:
        """The base sets."""

    @property
    def relations(self) -> Mapping[str, Bounds]:
        """The base relations."""


def analyse_relations(model: Model, facts: EventFacts) -> list[Bounds | SetBounds]:
    """The bounds of every node that an axiom depends on (others are empty), in the order of the nodes."""
    return _Analysis(model, facts).run()


class _Analysis:
    def __init__(self, model: Model, facts: EventFacts) -> None:
        self.model = model
        self.facts = facts
        self.n = facts.n
        self.nothing = Bounds(Relation.empty(self.n), Relation.empty(self.n))
        self.everything = Relation([facts.compatible[i] for i in range(self.n)])
        self.unconditional = facts.live & ~facts.always == 0
        self.needed = model.needed()
        self.bounds: list[Bounds | SetBounds] = [
            SetBounds(0, 0) if node.kind is SET else self.nothing for node in model.nodes
        ]
        self.groups = {group.variables[0]: group for group in model.groups}
        self.members = {variable for group in model.groups for variable in group.variables}
        implied = Relation(list(facts.implied))
        self.implied_targets = implied.rows
        self.implied_sources = implied.inverse().rows

    def run(self) -> list[Bounds | SetBounds]:
        """All nodes in order; groups when their first variable is reached."""
        self._run(0, len(self.model.nodes))
        return self.bounds

    def _run(self, start: int, end: int) -> None:
        for index in cast("Iterable[NodeId]", range(start, end)):
            if index not in self.needed:
                continue
            if index in self.groups:
                self._group(self.groups[index], index)
            elif index not in self.members:
                node = self.model.nodes[index]
                self.bounds[index] = _RULES[node.op](self, node)

    # -- recursion ---------------------------------------------------------------------------------------

    def _group(self, group: FixpointGroup, start: int) -> None:
        stop = max(group.bodies) + 1
        if not group.monotone and not self._fixed(group, start, stop):
            raise NotEncodable("a recursive definition through negation depends on the execution")
        for variable in group.variables:
            self.bounds[variable] = SetBounds(0, 0) if self._is_set(variable) else self.nothing
        for _ in range(MAX_ITERATIONS):
            self._run(start + 1, stop)
            following = [self.bounds[body] for body in group.bodies]
            if following == [self.bounds[variable] for variable in group.variables]:
                return
            for variable, bounds in zip(group.variables, following, strict=True):
                self.bounds[variable] = bounds
        raise NotEncodable("a recursive definition does not settle")

    def _is_set(self, index: NodeId) -> bool:
        return self.model.nodes[index].kind is SET

    def _fixed(self, group: FixpointGroup, start: int, stop: int) -> bool:
        """Do all inputs of a group hold the same in every execution?"""
        for index in map(NodeId, range(start, stop)):
            if index in self.needed:
                for argument in self.model.nodes[index].args:
                    if argument < start and not self._always_same(self.bounds[argument]):
                        return False
                node = self.model.nodes[index]
                if node.op is Operator.BASE and not self._always_same(self.base(node)):
                    return False
        return group.variables[0] == start

    def _always_same(self, bounds: Bounds | SetBounds) -> bool:
        if isinstance(bounds, SetBounds):
            return bounds.static and bounds.may & ~self.facts.always == 0
        touched = bounds.may.domain() | bounds.may.range()
        return bounds.static and touched & ~self.facts.always == 0

    # -- one node ----------------------------------------------------------------------------------------

    def _sets(self, node: Node) -> list[SetBounds]:
        return [cast(SetBounds, self.bounds[argument]) for argument in node.args]

    def _relations(self, node: Node) -> list[Bounds]:
        return [cast(Bounds, self.bounds[argument]) for argument in node.args]

    def base(self, node: Node) -> Bounds | SetBounds:
        """What the facts say."""
        if node.kind is SET:
            return self.facts.sets.get(node.name, SetBounds(0, 0))
        return self.facts.relations.get(node.name, self.nothing)

    def empty(self, node: Node) -> Bounds | SetBounds:
        """No event, no pair."""
        return SetBounds(0, 0) if node.kind is SET else self.nothing

    def universe(self, node: Node) -> Bounds | SetBounds:
        """All events, or all pairs of them that can be together."""
        if node.kind is SET:
            return SetBounds(self.facts.live, self.facts.live)
        return Bounds(self.everything, self.everything)

    def union(self, node: Node) -> Bounds | SetBounds:
        """Of sets or relations."""
        first, second = (self.bounds[argument] for argument in node.args)
        if isinstance(first, SetBounds):
            assert isinstance(second, SetBounds)
            return SetBounds(first.may | second.may, first.must | second.must)
        assert isinstance(second, Bounds)
        may = first.may | second.may
        return Bounds(may, may if first.static and second.static else first.must | second.must)

    def intersection(self, node: Node) -> Bounds | SetBounds:
        """Of sets or relations."""
        first, second = (self.bounds[argument] for argument in node.args)
        if isinstance(first, SetBounds):
            assert isinstance(second, SetBounds)
            return SetBounds(first.may & second.may, first.must & second.must)
        assert isinstance(second, Bounds)
        may = first.may & second.may
        return Bounds(may, may if first.static and second.static else first.must & second.must)

    def difference(self, node: Node) -> Bounds | SetBounds:
        """Of sets or relations."""
        first, second = (self.bounds[argument] for argument in node.args)
        if isinstance(first, SetBounds):
            assert isinstance(second, SetBounds)
            return SetBounds(first.may & ~second.must, first.must & ~second.may)
        assert isinstance(second, Bounds)
        may = first.may - second.must
        return Bounds(may, may if first.static and second.static else first.must - second.may)

    def complement(self, node: Node) -> Bounds | SetBounds:
        """Of a set or relation."""
        value, live = self.bounds[node.args[0]], self.facts.live
        if isinstance(value, SetBounds):
            return SetBounds(live & ~value.must, live & ~value.may)
        return Bounds(self.everything - value.must, self.everything - value.may)

    def domain(self, node: Node) -> SetBounds:
        """Sources: their targets must be executed too."""
        (relation,) = self._relations(node)
        kept = self._restricted(relation.must, self.implied_targets)
        return SetBounds(relation.may.domain(), kept.domain())

    def range(self, node: Node) -> SetBounds:
        """Targets: their sources must be executed too."""
        (relation,) = self._relations(node)
        kept = self._restricted(relation.must, self.implied_sources)
        return SetBounds(relation.may.range(), kept.range())

    def identity(self, node: Node) -> Bounds:
        """Every event and itself."""
        return self._identity(SetBounds(self.facts.live, self.facts.live))

    def identity_on(self, node: Node) -> Bounds:
        """Every event of a set and itself."""
        return self._identity(*self._sets(node))

    def _identity(self, members: SetBounds) -> Bounds:
        may = Relation.identity(self.n, members.may)
        return Bounds(may, may if members.static else Relation.identity(self.n, members.must))

    def product(self, node: Node) -> Bounds:
        """All pairs from one set to another that can be together."""
        first, second = self._sets(node)
        may = Relation.product(self.n, first.may, second.may) & self.everything
        if first.static and second.static:
            return Bounds(may, may)
        return Bounds(may, Relation.product(self.n, first.must, second.must) & self.everything)

    def composition(self, node: Node) -> Bounds:
        """Pairs with an event in between."""
        first, second = self._relations(node)
        may = (first.may @ second.may) & self.everything
        if self.unconditional and first.static and second.static:
            return Bounds(may, may)
        return Bounds(may, self._compose(first.must, second.must))

    def inverse(self, node: Node) -> Bounds:
        """Pairs the other way round."""
        (first,) = self._relations(node)
        may = first.may.inverse()
        return Bounds(may, may if first.static else first.must.inverse())

    def optional(self, node: Node) -> Bounds:
        """The relation and the identity."""
        (first,) = self._relations(node)
        identity = Relation.identity(self.n, self.facts.live)
        may = first.may | identity
        return Bounds(may, may if first.static else first.must | identity)

    def plus(self, node: Node) -> Bounds:
        """The transitive closure."""
        (first,) = self._relations(node)
        may = first.may.plus() & self.everything
        if not self.unconditional:
            return Bounds(may, self._closure(first.must))
        return Bounds(may, may if first.static else first.must.plus())

    def star(self, node: Node) -> Bounds:
        """The transitive closure and the identity."""
        plus, identity = self.plus(node), Relation.identity(self.n, self.facts.live)
        return Bounds(plus.may | identity, plus.must | identity)

    def recursive(self, node: Node) -> Bounds | SetBounds:
        """Never asked for: `_group` gives recursive names their bounds."""
        raise AssertionError(f"{node.name} is bounded with its group")

    # -- what must be there ------------------------------------------------------------------------------

    def _restricted(self, relation: Relation, rows: list[int]) -> Relation:
        if self.unconditional:
            return relation
        return Relation([row & mask for row, mask in zip(relation.rows, rows, strict=True)])

    def _compose(self, first: Relation, second: Relation) -> Relation:
        """Composition through events that are surely executed when one of the two ends is."""
        if self.unconditional:
            return first @ second
        near = self._restricted(first, self.implied_targets) @ second
        far = first @ self._restricted(second, self.implied_sources)
        return (near | far) & self.everything

    def _closure(self, relation: Relation) -> Relation:
        closed = relation
        while True:
            larger = closed | self._compose(closed, relation)
            if larger == closed:
                return closed
            closed = larger


_Rule: TypeAlias = Callable[[_Analysis, Node], Bounds | SetBounds]


def _rule(op: Operator) -> _Rule:
    match op:
        case Operator.BASE:
            return _Analysis.base
        case Operator.EMPTY:
            return _Analysis.empty
        case Operator.UNIVERSE:
            return _Analysis.universe
        case Operator.ID:
            return _Analysis.identity
        case Operator.UNION:
            return _Analysis.union
        case Operator.INTERSECTION:
            return _Analysis.intersection
        case Operator.DIFFERENCE:
            return _Analysis.difference
        case Operator.COMPLEMENT:
            return _Analysis.complement
        case Operator.COMPOSITION:
            return _Analysis.composition
        case Operator.PRODUCT:
            return _Analysis.product
        case Operator.INVERSE:
            return _Analysis.inverse
        case Operator.OPTIONAL:
            return _Analysis.optional
        case Operator.PLUS:
            return _Analysis.plus
        case Operator.STAR:
            return _Analysis.star
        case Operator.IDENTITY_ON:
            return _Analysis.identity_on
        case Operator.DOMAIN:
            return _Analysis.domain
        case Operator.RANGE:
            return _Analysis.range
        case Operator.FIXPOINT:
            return _Analysis.recursive
        case _:
            assert_never(op)


# Definitions of recursions are bounded again and again, so which rule an operator has is decided once.
_RULES = {op: _rule(op) for op in Operator}
