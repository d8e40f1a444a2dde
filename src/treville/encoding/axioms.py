"""Axioms of a model -> constraints and edges of the acyclic graph (paper 004, section 4.5.5).

An acyclic relation is not spelt out pair by pair where its definition is made of unions, compositions and
closures: see `encoding.automaton`. Where a model takes the atomic blocks of a program as one event each, so
does the graph.
"""

from __future__ import annotations

from typing import assert_never

from treville.encoding.automaton import Automaton, Step
from treville.encoding.relations import RelationEncoding, diagonal, is_set
from treville.formulas.formula import FALSE, Formula, Literal
from treville.models.model import Axiom, AxiomKind, Model, NodeId, Operator
from treville.models.recognise import is_base, is_from_read, order_of_blocks
from treville.relations import EventId, all_events, by_event, elements, mask_of


class AxiomEncoding:
    """Adds the axioms of a model to a formula."""

    def __init__(self, formula: Formula, model: Model, relations: RelationEncoding) -> None:
        self.formula = formula
        self.model = model
        self.relations = relations
        self.facts = relations.facts
        self._visible: dict[tuple[int, EventId], int] = {}
        self.orders_writes = False  # is coherence one of the relations without cycles?

    def require(self, axiom: Axiom) -> None:
        """Forbid executions that violate the axiom."""
        if axiom.negated:
            self.formula.require(self.test(axiom))
            return
        match axiom.kind:
            case AxiomKind.ACYCLIC:
                self.require_acyclic(axiom.node, Automaton)
            case AxiomKind.IRREFLEXIVE:
                for event in elements(diagonal(self.relations.relation(axiom.node).may)):
                    self._forbid(axiom.node, event, event)
            case AxiomKind.EMPTY if is_set(self.model, axiom.node):
                for literal in self._violations(axiom):
                    self.formula.forbid(literal)
            case AxiomKind.EMPTY:
                for source, target in self.relations.relation(axiom.node).may.pairs():
                    self._forbid(axiom.node, source, target)
            case _:
                assert_never(axiom.kind)

    def test(self, axiom: Axiom) -> Literal:
        """The literal that the axiom's test is true (as a flag asks)."""
        holds = -self.formula.any_of([[literal] for literal in self._violations(axiom)])
        return -holds if axiom.negated else holds

    def _violations(self, axiom: Axiom) -> list[Literal]:
        relations, node = self.relations, axiom.node
        if is_set(self.model, node):
            bounds = relations.bounds[node]
            assert isinstance(bounds.may, int)
            return [relations.member(node, event) for event in elements(bounds.may)]
        may = relations.relation(node).may
        match axiom.kind:
            case AxiomKind.EMPTY:
                return [relations.pair(node, source, target) for source, target in may.pairs()]
            case AxiomKind.IRREFLEXIVE:
                return [relations.pair(node, event, event) for event in elements(diagonal(may))]
            case AxiomKind.ACYCLIC:
                cyclic = diagonal(relations.closed(node).may)
                return [relations.closure(node, event, event) for event in elements(cyclic)]
            case _:
                assert_never(axiom.kind)

    # -- emptiness and irreflexivity ---------------------------------------------------------------------

    def _forbid(self, node: NodeId, source: EventId, target: EventId) -> None:
        """Forbid a pair, without naming it where its definition can be forbidden directly."""
        bounds = self.relations.relation(node)
        if not bounds.may.rows[source] >> target & 1:
            return
        definition = self.model.nodes[node]
        if bounds.must.rows[source] >> target & 1:
            self.formula.forbid(self.relations.memory.both_executed(source, target))
        elif definition.op is Operator.UNION:
            for argument in definition.args:
                self._forbid(argument, source, target)
        elif definition.op is Operator.COMPOSITION and not is_from_read(self.model, node):
            first, second = definition.args
            for path in self.relations.two_steps(first, second, source, target):
                self.formula.forbid(*path)
        elif definition.op is Operator.INTERSECTION:
            self._forbid_both(definition.args[0], definition.args[1], source, target)
        else:
            self.formula.forbid(self.relations.pair(node, source, target))

    def _forbid_both(self, one: NodeId, other: NodeId, source: EventId, target: EventId) -> None:
        """Forbid a pair of an intersection; a composition in it is taken apart."""
        for kept, opened in ((one, other), (other, one)):
            definition = self.model.nodes[opened]
            if definition.op is Operator.COMPOSITION:
                literal = self.relations.pair(kept, source, target)
                if literal != FALSE:
                    first, second = definition.args
                    for path in self.relations.two_steps(first, second, source, target):
                        self.formula.forbid(literal, *path)
                return
        literal = self.relations.pair(one, source, target)
        if literal != FALSE:
            self.formula.forbid(literal, self.relations.pair(other, source, target))

    # -- acyclicity --------------------------------------------------------------------------------------

    def require_acyclic(self, node: NodeId, words: type[Automaton]) -> None:
        """Forbid cycles of a relation, or of as much of it as an automaton of that type has words for."""
        if self.relations.relation(node).may.is_acyclic():
            return
        node, blocks = self._whole_blocks(node)
        automaton = words(self.model, self.relations, blocks)
        automaton.connect(node, 0, 0)
        vertices = self.formula.vertices(automaton.states * self.facts.n)
        for step in automaton.steps():
            sources, targets = (
                [vertices[automaton.place(state, event)] for event in all_events(self.facts.n)]
                for state in (step.first, step.second)
            )
            sure = automaton.sure_rows(step)
            self.relations.memory.add_sure_edges(sure, sources, targets, step.first == step.second)
            for source, target, literal in self._other_pairs(automaton, step, sure):
                self.formula.edge(sources[source], targets[target], literal)

    def _other_pairs(
        self, automaton: Automaton, step: Step, sure: list[int]
    ) -> set[tuple[EventId, EventId, Literal]]:
        """Pairs with literals of their own."""
        found: set[tuple[EventId, EventId, Literal]] = set()
        bases = [NodeId(leaf) for leaf in step.leaves if leaf >= 0 and step.first == step.second]
        ordered = any(is_base(self.model, leaf, "co") for leaf in bases)
        self.orders_writes = self.orders_writes or (ordered and not automaton.blocks)
        for leaf in step.leaves:
            for source, allowed in by_event(step.allowed):
                row = automaton.row(leaf, source) & allowed & ~sure[source] if allowed else 0
                for target in elements(row):
                    literal = self._order_literal(leaf, source, target) if ordered else None
                    if literal is None:
                        literal = automaton.literal(leaf, source, target)
                    found.add((source, target, literal))
        return found

    def _whole_blocks(self, node: NodeId) -> tuple[NodeId, dict[EventId, EventId]]:
        """Where the node takes each atomic block as one event: its order of blocks, and the first event of
        the block that each event is in."""
        order = order_of_blocks(self.model, node)
        if order is None:
            return node, {}
        return order, self.relations.memory.blocks()

    def _order_literal(self, leaf: int, source: EventId, target: EventId) -> Literal | None:
        """In a graph that contains `co`, a write before the source of a read comes before the read as well,
        and the literal that says so is better known to the solver than that of `rf`."""
        visible = self._visible.get((leaf, target))
        if visible is None:
            visible = self._visible[leaf, target] = self._visible_sources(leaf, target)
        if not visible >> source & 1:
            return None
        return self.relations.memory.before(source, target, visible)

    def _visible_sources(self, leaf: int, read: EventId) -> int:
        """The writes whose reads-from pair with the read is surely one of the leaf's pairs."""
        sources = mask_of(write for write, _ in self.relations.memory.sources.get(read, []))
        if leaf < 0 or not sources:
            return 0
        definition = self.model.nodes[leaf]
        if definition.op is Operator.INTERSECTION and is_base(self.model, definition.args[0], "rf"):
            rows = self.relations.relation(definition.args[1]).must.rows
            return mask_of(write for write in elements(sources) if rows[write] >> read & 1)
        return sources if is_base(self.model, NodeId(leaf), "rf") else 0
