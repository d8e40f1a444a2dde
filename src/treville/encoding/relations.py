"""Sets and relations of a model as literals, made on demand (paper 004, sections 4.5.6 and 4.5.7).

Asking for a pair of a node asks for what its definition needs, so only active pairs are ever made; pairs
that must hold are "both events are executed", pairs that may not are false. Closures and
recursive definitions become rules, whose least solution is exactly the least fixpoint of cat.
"""

from __future__ import annotations

from treville.analysis.facts import Bounds, SetBounds
from treville.analysis.relations import EventFacts
from treville.encoding.memory import Memory
from treville.encoding.operators import MEMBER_RULES, PAIR_RULES
from treville.formulas.formula import FALSE, Formula, Literal
from treville.models.model import SET, Model, NodeId
from treville.relations import EventId, Relation, elements

_DEEPEST = 90


class RelationEncoding:
    """Literals for the nodes of a model on one program."""

    def __init__(
        self, formula: Formula, model: Model, bounds: list[Bounds | SetBounds], memory: Memory
    ) -> None:
        self.formula = formula
        self.model = model
        self.bounds = bounds
        self.memory = memory
        self.facts: EventFacts = memory.facts
        self._pairs: list[dict[tuple[EventId, EventId], Literal]] = [{} for _ in model.nodes]
        self._members: list[dict[EventId, Literal]] = [{} for _ in model.nodes]
        self._closures: dict[NodeId, dict[tuple[EventId, EventId], Literal]] = {}
        self._closed: dict[NodeId, Bounds] = {}
        self._inverted: dict[NodeId, list[int]] = {}
        self._inverted_closures: dict[NodeId, list[int]] = {}
        self._pending: list[tuple[NodeId, EventId, EventId | None, Literal]] = []
        self._depth = 0
        self._body = model.bodies()

    def relation(self, node: NodeId) -> Bounds:
        """The bounds of a relation node."""
        bounds = self.bounds[node]
        assert isinstance(bounds, Bounds)
        return bounds

    def pair(self, node: NodeId, source: EventId, target: EventId) -> Literal:
        """The literal that a pair is in the relation."""
        bounds = self.relation(node)
        if bounds.must.rows[source] >> target & 1:
            return self.memory.both_executed(source, target)
        if not bounds.may.rows[source] >> target & 1:
            return FALSE
        known = self._pairs[node]
        found = known.get((source, target))
        if found is None:
            found = known[source, target] = self._make_pair(node, source, target)
        return found

    def member(self, node: NodeId, event: EventId) -> Literal:
        """The literal that an event is in the set."""
        bounds = self.bounds[node]
        assert isinstance(bounds, SetBounds)
        if bounds.must >> event & 1:
            return self.memory.executed[event]
        if not bounds.may >> event & 1:
            return FALSE
        known = self._members[node]
        found = known.get(event)
        if found is None:
            found = known[event] = self._make_member(node, event)
        return found

    def named(self) -> dict[str, NodeId]:
        """The nodes of the named relations that axioms depend on and that are not empty."""
        needed, found = self.model.needed(), dict[str, NodeId]()
        for (index, node), bounds in zip(self.model.numbered(), self.bounds, strict=True):
            if node.name and index in needed and isinstance(bounds, Bounds) and bounds.may:
                found[node.name] = index
        return found

    def sizes(self) -> dict[str, dict[str, int]]:
        """How many pairs each named relation may hold and must hold, and how many of the others are active,
        that is, needed a literal (paper 004, section 4.6)."""
        found = {}
        for name, index in self.named().items():
            bounds = self.relation(index)
            active = len(self._pairs[index])
            found[name] = {"may": len(bounds.may), "must": len(bounds.must), "active": active}
        return found

    def finish(self) -> None:
        """Write the rules of all pairs that were promised; may ask for more pairs."""
        while self._pending:
            node, source, target, head = self._pending.pop()
            if target is None:
                self.formula.rule(head, [self._member_body(node, source)])
            else:
                self.formula.rule(head, [self._pair_body(node, source, target)])

    # -- pairs -------------------------------------------------------------------------------------------

    def _make_pair(self, node: NodeId, source: EventId, target: EventId) -> Literal:
        if node in self._body or self._depth > _DEEPEST:
            head = self.formula.atom()
            self._pending.append((node, source, target, head))
            return head
        return self._pair_body(node, source, target)

    def _pair_body(self, index: NodeId, source: EventId, target: EventId) -> Literal:
        self._depth += 1
        literal = PAIR_RULES[self.model.nodes[index].op](self, index, source, target)
        self._depth -= 1
        return literal

    def body(self, variable: NodeId) -> NodeId:
        """The definition of a recursive name."""
        return self._body[variable]

    def two_steps(
        self, first: NodeId, second: NodeId, source: EventId, target: EventId
    ) -> list[list[Literal]]:
        """All paths from source to target by a pair of the first relation and one of the second."""
        middles = self.relation(first).may.rows[source] & self.into(second, target)
        paths = []
        for middle in elements(middles):
            step = self.pair(first, source, middle)
            if step != FALSE:
                paths.append([step, self.pair(second, middle, target)])
        return paths

    def into(self, node: NodeId, target: EventId) -> int:
        """The events that may be related to the target."""
        rows = self._inverted.get(node)
        if rows is None:
            rows = self._inverted[node] = self.relation(node).may.inverse().rows
        return rows[target]

    # -- closures ----------------------------------------------------------------------------------------

    def closed(self, node: NodeId) -> Bounds:
        """The bounds of the transitive closure of a node."""
        found = self._closed.get(node)
        if found is None:
            may = self.relation(node).may.plus()
            found = self._closed[node] = Bounds(may, self.relation(node).must)
        return found

    def _closed_into(self, node: NodeId) -> list[int]:
        rows = self._inverted_closures.get(node)
        if rows is None:
            rows = self._inverted_closures[node] = self.closed(node).may.inverse().rows
        return rows

    def closure(self, node: NodeId, source: EventId, target: EventId) -> Literal:
        """The literal that a pair is in the transitive closure of a node, whether the model has it or not."""
        bounds = self.closed(node)
        if not bounds.may.rows[source] >> target & 1:
            return FALSE
        if bounds.must.rows[source] >> target & 1:
            return self.memory.both_executed(source, target)
        known = self._closures.setdefault(node, {})
        found = known.get((source, target))
        if found is not None:
            return found
        found = known[source, target] = self.formula.atom()
        pending = [(source, target)]
        reached = self._closed_into(node)[target]
        while pending:
            start, _ = pending.pop()
            head = known[start, target]
            self.formula.rule(head, [self.pair(node, start, target)])
            for middle in elements(self.relation(node).may.rows[start] & reached & ~(1 << target)):
                step = self.pair(node, start, middle)
                if bounds.must.rows[middle] >> target & 1:
                    rest = self.memory.both_executed(middle, target)
                else:
                    made = known.get((middle, target))
                    if made is None:
                        made = known[middle, target] = self.formula.atom()
                        pending.append((middle, target))
                    rest = made
                self.formula.rule(head, [step, rest])
        return found

    # -- sets --------------------------------------------------------------------------------------------

    def _make_member(self, node: NodeId, event: EventId) -> Literal:
        if node in self._body or self._depth > _DEEPEST:
            head = self.formula.atom()
            self._pending.append((node, event, None, head))
            return head
        return self._member_body(node, event)

    def _member_body(self, index: NodeId, event: EventId) -> Literal:
        self._depth += 1
        literal = MEMBER_RULES[self.model.nodes[index].op](self, index, event)
        self._depth -= 1
        return literal


def is_set(model: Model, node: NodeId) -> bool:
    """Is the node a set?"""
    return model.nodes[node].kind is SET


def diagonal(relation: Relation) -> int:
    """The events that a relation relates to themselves."""
    mask = 0
    for event, row in enumerate(relation.rows):
        mask |= row & 1 << event
    return mask
