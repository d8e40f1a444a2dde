"""Facts and a model -> the bounds of every node: which pairs it may hold, and which it must.

`may` is the may set M of paper 004, section 4.6; `must` holds in every execution that executes the
events concerned, which also sharpens `may` of a difference. Recursive definitions are iterated from the
empty relation; a recursion through negation (the matching of RCU locks in the Linux model) has a meaning
only where it does not depend on the execution, and is then computed as the evaluator does.
"""

from __future__ import annotations

from typing import assert_never

from treville.analysis.facts import Bounds, Facts, SetBounds
from treville.models.model import (
    BooleanOperator,
    ClosureOperator,
    FixpointGroup,
    Kind,
    Model,
    Node,
    NodeId,
    Operator,
    ProjectionOperator,
)
from treville.relations import Relation
from treville.results import TooLarge

MAX_ITERATIONS = 5_000


class NotEncodable(TooLarge):
    """The model cannot be bounded on this program; the lazy engine still evaluates it."""


def analyse_relations(model: Model, facts: Facts) -> list[Bounds | SetBounds]:
    """The bounds of every node that an axiom depends on (others are empty), in the order of the nodes."""
    return _Analysis(model, facts).run()


class _Analysis:
    def __init__(self, model: Model, facts: Facts) -> None:
        self.model = model
        self.facts = facts
        self.n = facts.n
        self.nothing = Bounds(Relation.empty(self.n), Relation.empty(self.n))
        self.everything = Relation([facts.together[i] for i in range(self.n)])
        self.unconditional = facts.live & ~facts.always == 0
        self.needed = model.needed()
        self.bounds: list[Bounds | SetBounds] = [
            SetBounds(0, 0) if node.kind is Kind.SET else self.nothing for node in model.nodes
        ]
        self.groups = {group.variables[0]: group for group in model.groups}
        self.members = {variable for group in model.groups for variable in group.variables}
        implied = Relation(facts.implied)
        self.implied_targets = implied.rows
        self.implied_sources = implied.inverse().rows

    def run(self) -> list[Bounds | SetBounds]:
        """All nodes in order; groups when their first variable is reached."""
        self._range(0, len(self.model.nodes))
        return self.bounds

    def _range(self, start: int, end: int) -> None:
        for index in map(NodeId, range(start, end)):
            if index not in self.needed:
                continue
            if index in self.groups:
                self._group(self.groups[index], index)
            elif index not in self.members:
                self.bounds[index] = self._node(self.model.nodes[index])

    # -- recursion ---------------------------------------------------------------------------------------

    def _group(self, group: FixpointGroup, start: int) -> None:
        stop = max(group.bodies) + 1
        if not group.monotone and not self._fixed(group, start, stop):
            raise NotEncodable("a recursive definition through negation depends on the execution")
        for variable in group.variables:
            self.bounds[variable] = SetBounds(0, 0) if self._is_set(variable) else self.nothing
        for _ in range(MAX_ITERATIONS):
            self._range(start + 1, stop)
            following = [self.bounds[body] for body in group.bodies]
            if following == [self.bounds[variable] for variable in group.variables]:
                return
            for variable, bounds in zip(group.variables, following, strict=True):
                self.bounds[variable] = bounds
        raise NotEncodable("a recursive definition does not settle")

    def _is_set(self, index: NodeId) -> bool:
        return self.model.nodes[index].kind is Kind.SET

    def _fixed(self, group: FixpointGroup, start: int, stop: int) -> bool:
        """Do all inputs of a group hold the same in every execution?"""
        for index in map(NodeId, range(start, stop)):
            if index in self.needed:
                for argument in self.model.nodes[index].args:
                    if argument < start and not self._always_same(self.bounds[argument]):
                        return False
                node = self.model.nodes[index]
                if node.op is Operator.BASE and not self._always_same(self._base(node)):
                    return False
        return group.variables[0] == start

    def _always_same(self, bounds: Bounds | SetBounds) -> bool:
        if isinstance(bounds, SetBounds):
            return bounds.static and bounds.may & ~self.facts.always == 0
        touched = bounds.may.domain() | bounds.may.range()
        return bounds.static and touched & ~self.facts.always == 0

    # -- one node ----------------------------------------------------------------------------------------

    def _node(self, node: Node) -> Bounds | SetBounds:
        op, args = node.op, node.args
        match op:
            case Operator.UNION | Operator.INTERSECTION | Operator.DIFFERENCE:
                if node.kind is Kind.SET:
                    return self._boolean_set(op, self._set(args[0]), self._set(args[1]))
                return self._boolean(op, self._relation(args[0]), self._relation(args[1]))
            case Operator.COMPOSITION:
                return self._composition(self._relation(args[0]), self._relation(args[1]))
            case Operator.BASE:
                return self._base(node)
            case Operator.INVERSE:
                return self._inverse(self._relation(args[0]))
            case Operator.IDENTITY_ON:
                return self._identity(self._set(args[0]))
            case Operator.PRODUCT:
                return self._product(self._set(args[0]), self._set(args[1]))
            case Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
                return self._closure_of(op, self._relation(args[0]))
            case Operator.DOMAIN | Operator.RANGE:
                return self._projection(op, self._relation(args[0]))
            case Operator.COMPLEMENT:
                return self._complement(self.bounds[args[0]])
            case Operator.EMPTY:
                return SetBounds(0, 0) if node.kind is Kind.SET else self.nothing
            case Operator.UNIVERSE:
                return self._universe(node.kind)
            case Operator.ID:
                return self._identity(SetBounds(self.facts.live, self.facts.live))
            case Operator.FIXPOINT:
                raise AssertionError("a recursive name has the bounds that its group gives it")
            case _:
                assert_never(op)

    def _set(self, node: NodeId) -> SetBounds:
        bounds = self.bounds[node]
        assert isinstance(bounds, SetBounds)
        return bounds

    def _relation(self, node: NodeId) -> Bounds:
        bounds = self.bounds[node]
        assert isinstance(bounds, Bounds)
        return bounds

    def _base(self, node: Node) -> Bounds | SetBounds:
        if node.kind is Kind.SET:
            return self.facts.sets.get(node.name, SetBounds(0, 0))
        return self.facts.relations.get(node.name, self.nothing)

    def _universe(self, kind: Kind) -> Bounds | SetBounds:
        if kind is Kind.SET:
            return SetBounds(self.facts.live, self.facts.live)
        return Bounds(self.everything, self.everything)

    def _complement(self, value: Bounds | SetBounds) -> Bounds | SetBounds:
        if isinstance(value, SetBounds):
            return SetBounds(self.facts.live & ~value.must, self.facts.live & ~value.may)
        return Bounds(self.everything - value.must, self.everything - value.may)

    def _boolean_set(self, op: BooleanOperator, first: SetBounds, second: SetBounds) -> SetBounds:
        match op:
            case Operator.UNION:
                return SetBounds(first.may | second.may, first.must | second.must)
            case Operator.INTERSECTION:
                return SetBounds(first.may & second.may, first.must & second.must)
            case Operator.DIFFERENCE:
                return SetBounds(first.may & ~second.must, first.must & ~second.may)
            case _:
                assert_never(op)

    def _boolean(self, op: BooleanOperator, first: Bounds, second: Bounds) -> Bounds:
        static = first.static and second.static
        match op:
            case Operator.UNION:
                may = first.may | second.may
                return Bounds(may, may if static else first.must | second.must)
            case Operator.INTERSECTION:
                may = first.may & second.may
                return Bounds(may, may if static else first.must & second.must)
            case Operator.DIFFERENCE:
                may = first.may - second.must
                return Bounds(may, may if static else first.must - second.may)
            case _:
                assert_never(op)

    def _projection(self, op: ProjectionOperator, relation: Bounds) -> SetBounds:
        """The other event must be executed too."""
        must = relation.must
        match op:
            case Operator.DOMAIN:
                kept = self._restricted(must, self.implied_targets)
                return SetBounds(relation.may.domain(), kept.domain())
            case Operator.RANGE:
                kept = self._restricted(must, self.implied_sources)
                return SetBounds(relation.may.range(), kept.range())
            case _:
                assert_never(op)

    def _restricted(self, relation: Relation, rows: list[int]) -> Relation:
        if self.unconditional:
            return relation
        return Relation([row & mask for row, mask in zip(relation.rows, rows, strict=True)])

    def _identity(self, members: SetBounds) -> Bounds:
        may = Relation.identity(self.n, members.may)
        return Bounds(may, may if members.static else Relation.identity(self.n, members.must))

    def _product(self, first: SetBounds, second: SetBounds) -> Bounds:
        may = Relation.product(self.n, first.may, second.may) & self.everything
        if first.static and second.static:
            return Bounds(may, may)
        return Bounds(may, Relation.product(self.n, first.must, second.must) & self.everything)

    def _composition(self, first: Bounds, second: Bounds) -> Bounds:
        may = (first.may @ second.may) & self.everything
        if self.unconditional and first.static and second.static:
            return Bounds(may, may)
        return Bounds(may, self._compose(first.must, second.must))

    def _inverse(self, first: Bounds) -> Bounds:
        may = first.may.inverse()
        return Bounds(may, may if first.static else first.must.inverse())

    def _closure_of(self, op: ClosureOperator, first: Bounds) -> Bounds:
        identity = Relation.identity(self.n, self.facts.live)
        match op:
            case Operator.OPTIONAL:
                may = first.may | identity
                return Bounds(may, may if first.static else first.must | identity)
            case Operator.PLUS:
                return self._plus(first)
            case Operator.STAR:
                plus = self._plus(first)
                return Bounds(plus.may | identity, plus.must | identity)
            case _:
                assert_never(op)

    def _plus(self, first: Bounds) -> Bounds:
        may = first.may.plus() & self.everything
        if not self.unconditional:
            return Bounds(may, self._closure(first.must))
        return Bounds(may, may if first.static else first.must.plus())

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
