"""Sets and relations of a model as literals, made on demand (paper 004, sections 4.5.6 and 4.5.7).

Asking for a pair of a node asks for what its definition needs, so only active pairs are ever made; pairs
that must hold are "both events are executed", pairs that may not are false. Closures and
recursive definitions become rules, whose least solution is exactly the least fixpoint of cat.
"""

from __future__ import annotations

from treville.analysis.facts import Bounds, SetBounds
from treville.encoding.memory import MemoryEncoding
from treville.formulas.formula import FALSE, Formula
from treville.models.model import SET, Model, Node
from treville.relations import Relation, elements

_DEEPEST = 90


class RelationEncoding:
    """Literals for the nodes of a model on one program."""

    def __init__(
        self, formula: Formula, model: Model, bounds: list[Bounds | SetBounds], memory: MemoryEncoding
    ) -> None:
        self.formula = formula
        self.model = model
        self.bounds = bounds
        self.memory = memory
        self.facts = memory.facts
        self._pairs: list[dict[tuple[int, int], int]] = [{} for _ in model.nodes]
        self._members: list[dict[int, int]] = [{} for _ in model.nodes]
        self._closures: dict[int, dict[tuple[int, int], int]] = {}
        self._closed: dict[int, Bounds] = {}
        self._inverted: dict[int, list[int]] = {}
        self._inverted_closures: dict[int, list[int]] = {}
        self._pending: list[tuple[int, int, int, int]] = []
        self._depth = 0
        self._body = {v: b for g in model.groups for v, b in zip(g.variables, g.bodies, strict=True)}

    def relation(self, node: int) -> Bounds:
        """The bounds of a relation node."""
        bounds = self.bounds[node]
        assert isinstance(bounds, Bounds)
        return bounds

    def pair(self, node: int, source: int, target: int) -> int:
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

    def member(self, node: int, event: int) -> int:
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

    def named(self) -> dict[str, int]:
        """The nodes of the named relations that axioms depend on and that are not empty."""
        needed, found = self.model.needed(), {}
        for index, (node, bounds) in enumerate(zip(self.model.nodes, self.bounds, strict=True)):
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
            op = self.model.nodes[node].op
            if target < 0:
                self.formula.rule(head, [self._member_body(node, source)])
            elif op == "fixpoint":
                self.formula.rule(head, [self.pair(self._body[node], source, target)])
            else:
                self.formula.rule(head, [self._pair_body(node, source, target)])

    # -- pairs -------------------------------------------------------------------------------------------

    def _make_pair(self, node: int, source: int, target: int) -> int:
        if self.model.nodes[node].op == "fixpoint" or self._depth > _DEEPEST:
            head = self.formula.atom()
            self._pending.append((node, source, target, head))
            return head
        return self._pair_body(node, source, target)

    def _pair_body(self, index: int, source: int, target: int) -> int:
        self._depth += 1
        node = self.model.nodes[index]
        literal = self._pair_of(node, source, target)
        self._depth -= 1
        return literal

    def _pair_of(self, node: Node, source: int, target: int) -> int:
        op, args = node.op, node.args
        if op == "base":
            return self._base_pair(node.name, source, target)
        if op == "union":
            return self.formula.any_of([[self.pair(arg, source, target)] for arg in args])
        if op == "inter":
            first = self.pair(args[0], source, target)
            return FALSE if first == FALSE else self.formula.both(first, self.pair(args[1], source, target))
        if op == "diff":
            return self.formula.both(self.pair(args[0], source, target), -self.pair(args[1], source, target))
        if op == "seq":
            if self.is_from_read(node):
                return self.memory.from_read(source, target)
            return self.formula.any_of(self.ways(args[0], args[1], source, target))
        if op == "inverse":
            return self.pair(args[0], target, source)
        if op in ("identity", "product"):
            return self.formula.both(self.member(args[0], source), self.member(args[-1], target))
        if op == "opt" or (op == "star" and source == target):
            # The identity is in `must`, so the two events differ or the pair was decided.
            return self.pair(args[0], source, target)
        if op in ("plus", "star"):
            return self.closure(args[0], source, target)
        assert op == "complement"
        executed = self.memory.both_executed(source, target)
        return self.formula.both(executed, -self.pair(args[0], source, target))

    def is_from_read(self, node: Node) -> bool:
        """Is the node `rf^-1 ; co`?"""
        if node.op != "seq":
            return False
        left = self.model.nodes[node.args[0]]
        return left.op == "inverse" and self.is_base(left.args[0], "rf") and self.is_base(node.args[1], "co")

    def body(self, variable: int) -> int:
        """The definition of a recursive name."""
        return self._body[variable]

    def is_base(self, node: int, name: str) -> bool:
        """Is the node that base relation?"""
        definition = self.model.nodes[node]
        return definition.op == "base" and definition.name == name

    def ways(self, first: int, second: int, source: int, target: int) -> list[list[int]]:
        """The ways from source to target by a pair of the first relation and one of the second."""
        middles = self.relation(first).may.rows[source] & self.into(second, target)
        ways = []
        for middle in elements(middles):
            step = self.pair(first, source, middle)
            if step != FALSE:
                ways.append([step, self.pair(second, middle, target)])
        return ways

    def into(self, node: int, target: int) -> int:
        """The events that may be related to the target."""
        rows = self._inverted.get(node)
        if rows is None:
            rows = self._inverted[node] = self.relation(node).may.inverse().rows
        return rows[target]

    def _base_pair(self, name: str, source: int, target: int) -> int:
        if name == "rf":
            return self.memory.reads_from(source, target)
        if name == "co":
            return self.memory.coherence(source, target)
        if name == "fr":
            return self.memory.from_read(source, target)
        executed = self.memory.both_executed(source, target)
        if name == "loc":
            return self.formula.both(executed, self.memory.values.same_address(source, target))
        condition = self.facts.conditions[name][source, target]
        return self.formula.both(executed, self.memory.values.condition(condition))

    # -- closures ----------------------------------------------------------------------------------------

    def closed(self, node: int) -> Bounds:
        """The bounds of the transitive closure of a node."""
        found = self._closed.get(node)
        if found is None:
            may = self.relation(node).may.plus()
            found = self._closed[node] = Bounds(may, self.relation(node).must)
        return found

    def _closed_into(self, node: int) -> list[int]:
        rows = self._inverted_closures.get(node)
        if rows is None:
            rows = self._inverted_closures[node] = self.closed(node).may.inverse().rows
        return rows

    def closure(self, node: int, source: int, target: int) -> int:
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
                    rest = known.get((middle, target), 0)
                    if not rest:
                        rest = known[middle, target] = self.formula.atom()
                        pending.append((middle, target))
                self.formula.rule(head, [step, rest])
        return found

    # -- sets --------------------------------------------------------------------------------------------

    def _make_member(self, node: int, event: int) -> int:
        if self.model.nodes[node].op == "fixpoint" or self._depth > _DEEPEST:
            head = self.formula.atom()
            self._pending.append((node, event, -1, head))
            return head
        self._depth += 1
        literal = self._member_body(node, event)
        self._depth -= 1
        return literal

    def _member_body(self, index: int, event: int) -> int:
        node = self.model.nodes[index]
        op, args, formula = node.op, node.args, self.formula
        if op == "base":
            assert node.name == "FW"
            addresses = self.facts.addresses(event) & self.facts.observed
            return formula.any_of([[self.memory.last(event, address)] for address in addresses])
        if op == "fixpoint":
            return self.member(self._body[index], event)
        if op == "union":
            return formula.any_of([[self.member(arg, event)] for arg in args])
        if op == "inter":
            return formula.both(*[self.member(arg, event) for arg in args])
        if op == "diff":
            return formula.both(self.member(args[0], event), -self.member(args[1], event))
        if op == "complement":
            return formula.both(self.memory.executed[event], -self.member(args[0], event))
        if op == "domain":
            row = self.relation(args[0]).may.rows[event]
            return formula.any_of([[self.pair(args[0], event, target)] for target in elements(row)])
        assert op == "range"
        sources = self.into(args[0], event)
        return formula.any_of([[self.pair(args[0], source, event)] for source in elements(sources)])


def is_set(model: Model, node: int) -> bool:
    """Is the node a set?"""
    return model.nodes[node].kind == SET


def diagonal(relation: Relation) -> int:
    """The events that a relation relates to themselves."""
    mask = 0
    for event, row in enumerate(relation.rows):
        mask |= row & 1 << event
    return mask
