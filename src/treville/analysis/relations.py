"""Facts and a model -> the bounds of every node: which pairs it may hold, and which it must.

`may` is the may set M of paper 004, section 4.6; `must` holds in every execution that executes the
events concerned, which also sharpens `may` of a difference. Recursive definitions are iterated from the
empty relation; a recursion through negation (the matching of RCU locks in the Linux model) has a meaning
only where it does not depend on the execution, and is then computed as the evaluator does.
"""

from __future__ import annotations

from treville.analysis.facts import Bounds, Facts, SetBounds
from treville.models.model import SET, FixpointGroup, Model, Node
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
            SetBounds(0, 0) if node.kind == SET else self.nothing for node in model.nodes
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
        for index in range(start, end):
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

    def _is_set(self, index: int) -> bool:
        return self.model.nodes[index].kind == SET

    def _fixed(self, group: FixpointGroup, start: int, stop: int) -> bool:
        """Do all inputs of a group hold the same in every execution?"""
        for index in range(start, stop):
            if index in self.needed:
                for argument in self.model.nodes[index].args:
                    if argument < start and not self._always_same(self.bounds[argument]):
                        return False
                node = self.model.nodes[index]
                if node.op == "base" and not self._always_same(self._base(node)):
                    return False
        return group.variables[0] == start

    def _always_same(self, bounds: Bounds | SetBounds) -> bool:
        if isinstance(bounds, SetBounds):
            return bounds.static and bounds.may & ~self.facts.always == 0
        touched = bounds.may.domain() | bounds.may.range()
        return bounds.static and touched & ~self.facts.always == 0

    # -- one node ----------------------------------------------------------------------------------------

    def _node(self, node: Node) -> Bounds | SetBounds:
        if node.op == "base":
            return self._base(node)
        if node.kind == SET:
            return self._set(node)
        if node.op in ("empty", "universe", "id", "identity", "product"):
            return self._from_sets(node)
        return self._relation(node)

    def _base(self, node: Node) -> Bounds | SetBounds:
        if node.kind == SET:
            return self.facts.sets.get(node.name, SetBounds(0, 0))
        return self.facts.relations.get(node.name, self.nothing)

    def _set(self, node: Node) -> SetBounds:
        live = self.facts.live
        if node.op in ("empty", "universe"):
            return SetBounds(0, 0) if node.op == "empty" else SetBounds(live, live)
        first = self.bounds[node.args[0]]
        if isinstance(first, Bounds):
            return self._projection(node.op, first)
        if node.op == "complement":
            return SetBounds(live & ~first.must, live & ~first.may)
        second = self.bounds[node.args[1]]
        assert isinstance(second, SetBounds)
        if node.op == "union":
            return SetBounds(first.may | second.may, first.must | second.must)
        if node.op == "inter":
            return SetBounds(first.may & second.may, first.must & second.must)
        return SetBounds(first.may & ~second.must, first.must & ~second.may)

    def _projection(self, op: str, relation: Bounds) -> SetBounds:
        """`domain` and `range`: the other event must be executed too."""
        must = relation.must
        if op == "domain":
            kept = self._restricted(must, self.implied_targets)
            return SetBounds(relation.may.domain(), kept.domain())
        kept = self._restricted(must, self.implied_sources)
        return SetBounds(relation.may.range(), kept.range())

    def _restricted(self, relation: Relation, rows: list[int]) -> Relation:
        if self.unconditional:
            return relation
        return Relation([row & mask for row, mask in zip(relation.rows, rows, strict=True)])

    def _from_sets(self, node: Node) -> Bounds:
        n, live = self.n, self.facts.live
        if node.op == "empty":
            return self.nothing
        if node.op == "universe":
            return Bounds(self.everything, self.everything)
        if node.op == "id":
            identity = Relation.identity(n, live)
            return Bounds(identity, identity)
        first = self.bounds[node.args[0]]
        assert isinstance(first, SetBounds)
        if node.op == "identity":
            return Bounds(Relation.identity(n, first.may), Relation.identity(n, first.must))
        second = self.bounds[node.args[1]]
        assert isinstance(second, SetBounds)
        may = Relation.product(n, first.may, second.may) & self.everything
        if first.static and second.static:
            return Bounds(may, may)
        return Bounds(may, Relation.product(n, first.must, second.must) & self.everything)

    def _relation(self, node: Node) -> Bounds:
        args = [self.bounds[argument] for argument in node.args]
        first = args[0]
        assert isinstance(first, Bounds)
        if len(args) == 1:
            return self._unary(node.op, first)
        second = args[1]
        assert isinstance(second, Bounds)
        static = first.static and second.static
        if node.op == "union":
            may = first.may | second.may
            return Bounds(may, may if static else first.must | second.must)
        if node.op == "inter":
            may = first.may & second.may
            return Bounds(may, may if static else first.must & second.must)
        if node.op == "diff":
            may = first.may - second.must
            return Bounds(may, may if static else first.must - second.may)
        may = (first.may @ second.may) & self.everything
        if self.unconditional and static:
            return Bounds(may, may)
        return Bounds(may, self._compose(first.must, second.must))

    def _unary(self, op: str, first: Bounds) -> Bounds:
        if op == "inverse":
            may = first.may.inverse()
            return Bounds(may, may if first.static else first.must.inverse())
        if op == "complement":
            return Bounds(self.everything - first.must, self.everything - first.may)
        identity = Relation.identity(self.n, self.facts.live)
        if op == "opt":
            may = first.may | identity
            return Bounds(may, may if first.static else first.must | identity)
        may = first.may.plus() & self.everything
        if self.unconditional:
            must = may if first.static else first.must.plus()
        else:
            must = self._closure(first.must)
        if op == "star":
            return Bounds(may | identity, must | identity)
        return Bounds(may, must)

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
