"""Axioms of a model -> constraints and edges of the acyclic graph (paper 004, section 4.5.5).

An acyclic relation is not spelt out pair by pair where its definition is made of unions, compositions and
closures: these become a small automaton, the graph has one copy of the events per state, and a path
through it that returns to the first state is a path of the relation. Copies within which definitions
could form circles of their own (a closure of something that is not acyclic by itself) would
forbid too much, so there the pairs are spelt out. Edges that no cycle can use are left out. Where a model
takes the atomic blocks of a program as one event each, so does the graph.
"""

from __future__ import annotations

from typing import NamedTuple

from treville.encoding.formula import FALSE, TRUE, Formula
from treville.encoding.graph import strong_components
from treville.encoding.relations import RelationEncoding, diagonal, is_set
from treville.events.symbolic import NO_BLOCK
from treville.models.blocks import BLOCK
from treville.models.model import Axiom, Model
from treville.relations import elements, mask_of


class AxiomEncoding:
    """Adds the axioms of a model to a formula."""

    def __init__(self, formula: Formula, model: Model, relations: RelationEncoding) -> None:
        self.formula = formula
        self.model = model
        self.relations = relations
        self.facts = relations.facts
        self._visible: dict[tuple[int, int], int] = {}
        self.orders_writes = False  # is coherence one of the relations without cycles?

    def require(self, axiom: Axiom) -> None:
        """Forbid executions that violate the axiom."""
        if axiom.negated:
            self.formula.require(self.test(axiom))
        elif axiom.kind == "acyclic":
            self.require_acyclic(axiom.node, Automaton)
        elif is_set(self.model, axiom.node):
            bounds = self.relations.bounds[axiom.node]
            assert isinstance(bounds.may, int)
            for event in elements(bounds.may):
                self.formula.forbid(self.relations.member(axiom.node, event))
        elif axiom.kind == "irreflexive":
            for event in elements(diagonal(self.relations.relation(axiom.node).may)):
                self._forbid(axiom.node, event, event)
        else:
            for source, target in self.relations.relation(axiom.node).may.pairs():
                self._forbid(axiom.node, source, target)

    def test(self, axiom: Axiom) -> int:
        """The literal that the axiom's test is true (as a flag asks)."""
        holds = -self.formula.any_of([[literal] for literal in self._violations(axiom)])
        return -holds if axiom.negated else holds

    def _violations(self, axiom: Axiom) -> list[int]:
        relations, node = self.relations, axiom.node
        if is_set(self.model, node):
            bounds = relations.bounds[node]
            assert isinstance(bounds.may, int)
            return [relations.member(node, event) for event in elements(bounds.may)]
        may = relations.relation(node).may
        if axiom.kind == "empty":
            return [relations.pair(node, source, target) for source, target in may.pairs()]
        if axiom.kind == "irreflexive":
            return [relations.pair(node, event, event) for event in elements(diagonal(may))]
        cyclic = diagonal(relations.closed(node).may)
        return [relations.closure(node, event, event) for event in elements(cyclic)]

    # -- emptiness and irreflexivity ---------------------------------------------------------------------

    def _forbid(self, node: int, source: int, target: int) -> None:
        """Forbid a pair, without naming it where its definition can be forbidden directly."""
        bounds = self.relations.relation(node)
        if not bounds.may.rows[source] >> target & 1:
            return
        definition = self.model.nodes[node]
        if bounds.must.rows[source] >> target & 1:
            self.formula.forbid(self.relations.memory.both_executed(source, target))
        elif definition.op == "union":
            for argument in definition.args:
                self._forbid(argument, source, target)
        elif definition.op == "seq" and not self.relations.is_from_read(definition):
            for way in self.relations.ways(definition.args[0], definition.args[1], source, target):
                self.formula.forbid(*way)
        elif definition.op == "inter":
            self._forbid_both(definition.args[0], definition.args[1], source, target)
        else:
            self.formula.forbid(self.relations.pair(node, source, target))

    def _forbid_both(self, one: int, other: int, source: int, target: int) -> None:
        """Forbid a pair of an intersection; a composition in it is taken apart."""
        for kept, opened in ((one, other), (other, one)):
            definition = self.model.nodes[opened]
            if definition.op == "seq":
                literal = self.relations.pair(kept, source, target)
                if literal != FALSE:
                    for way in self.relations.ways(definition.args[0], definition.args[1], source, target):
                        self.formula.forbid(literal, *way)
                return
        first = self.relations.pair(one, source, target)
        if first != FALSE:
            self.formula.forbid(first, self.relations.pair(other, source, target))

    # -- acyclicity --------------------------------------------------------------------------------------

    def require_acyclic(self, node: int, words: type[Automaton]) -> None:
        """Forbid cycles of a relation, or of as much of it as an automaton of that type has words for."""
        if self.relations.relation(node).may.is_acyclic():
            return
        node, blocks = self._whole_blocks(node)
        automaton = words(self.model, self.relations, blocks)
        automaton.connect(node, 0, 0)
        start = self.formula.nodes(automaton.states * self.facts.n)
        for step in automaton.steps():
            sources, targets = (
                [start + automaton.place(state, event) for event in range(self.facts.n)]
                for state in (step.first, step.second)
            )
            sure = automaton.sure_rows(step)
            self.relations.memory.add_sure_edges(sure, sources, targets, step.first == step.second)
            for source, target, literal in self._other_pairs(automaton, step, sure):
                self.formula.edge(sources[source], targets[target], literal)

    def _other_pairs(self, automaton: Automaton, step: Step, sure: list[int]) -> set[tuple[int, int, int]]:
        """Pairs with literals of their own."""
        found: set[tuple[int, int, int]] = set()
        bases = [leaf for leaf in step.leaves if leaf >= 0 and step.first == step.second]
        ordered = any(self.relations.is_base(leaf, "co") for leaf in bases)
        self.orders_writes = self.orders_writes or (ordered and not automaton.blocks)
        for leaf in step.leaves:
            for source, allowed in enumerate(step.allowed):
                row = automaton.row(leaf, source) & allowed & ~sure[source] if allowed else 0
                for target in elements(row):
                    literal = self._order_literal(leaf, source, target) if ordered else None
                    if literal is None:
                        literal = automaton.literal(leaf, source, target)
                    found.add((source, target, literal))
        return found

    def _whole_blocks(self, node: int) -> tuple[int, dict[int, int]]:
        """`atomicblock?; (r \\ atomicblock)` is acyclic if r is, with the events of each block as one: r, and
        the first event of the block that each event is in."""
        definition = self.model.nodes[node]
        if definition.op != "seq":
            return node, {}
        block, order = (self.model.nodes[argument] for argument in definition.args)
        is_base = self.relations.is_base
        if block.op != "opt" or order.op != "diff":
            return node, {}
        if not is_base(block.args[0], BLOCK) or not is_base(order.args[1], BLOCK):
            return node, {}
        events = [event for event in self.facts.symbolic.events if event.block != NO_BLOCK]
        first: dict[int, int] = {}
        return order.args[0], {e.number: first.setdefault(e.block, e.number) for e in events}

    def _order_literal(self, leaf: int, source: int, target: int) -> int | None:
        """In a graph that contains `co`, a write before the source of a read comes before the read as well,
        and the literal that says so is better known to the solver than that of `rf`."""
        visible = self._visible.get((leaf, target))
        if visible is None:
            visible = self._visible[leaf, target] = self._visible_sources(leaf, target)
        if not visible >> source & 1:
            return None
        return self.relations.memory.before(source, target, visible)

    def _visible_sources(self, leaf: int, read: int) -> int:
        """The writes whose reads-from pair with the read is surely one of the leaf's pairs."""
        sources = mask_of(write for write, _ in self.relations.memory.sources.get(read, []))
        if leaf < 0 or not sources:
            return 0
        definition = self.model.nodes[leaf]
        if definition.op == "inter" and self.relations.is_base(definition.args[0], "rf"):
            rows = self.relations.relation(definition.args[1]).must.rows
            return mask_of(write for write in elements(sources) if rows[write] >> read & 1)
        return sources if self.relations.is_base(leaf, "rf") else 0


class Step(NamedTuple):
    """The relations that lead from one state to another, and the targets of each event that it can be on a
    cycle with."""

    first: int
    second: int
    leaves: list[int]
    allowed: list[int]


EPSILON = -1
# So much larger must the pairs of from-read be than those of its two parts.
_WORTH_READING_APART = 2


class Automaton:
    """States and transitions labelled by relations; state 0 is where words of the relation start and end."""

    def __init__(self, model: Model, relations: RelationEncoding, blocks: dict[int, int]) -> None:
        self.model = model
        self.relations = relations
        self.blocks = blocks  # in state 0 an event counts as the first of its block
        self.n = relations.facts.n
        self.states = 1
        self.transitions: list[tuple[int, int, int]] = []
        self._members: dict[int, int] = {}
        for event, block in blocks.items():
            self._members[block] = self._members.get(block, 0) | 1 << event
        self._parts: list[tuple[int, int]] = []

    def connect(self, node: int, first: int, second: int) -> None:
        """Make the words of a node lead from one state to another."""
        definition = self.model.nodes[node]
        op, args = definition.op, definition.args
        bounds = self.relations.relation(node)
        if not any(bounds.may.rows):
            return
        if bounds.static or (self.blocks and op != "union"):
            self.transitions.append((first, second, node))
        elif op == "union":
            for argument in args:
                self.connect(argument, first, second)
        elif self.relations.is_from_read(definition):
            self._connect_from_read(node, first, second)
        elif op == "seq" and self._worth_splitting(*args):
            middle = self._state()
            self.connect(args[0], first, middle)
            self.connect(args[1], middle, second)
        elif op == "opt" and first != second:
            self.connect(args[0], first, second)
            self.transitions.append((first, second, EPSILON))
        elif op == "plus" and first == second:
            self.connect(args[0], first, first)
        elif op in ("plus", "star") and first != second and self.relations.relation(args[0]).may.is_acyclic():
            self._connect_closure(op, args[0], first, second)
        else:
            self.transitions.append((first, second, node))

    def _connect_from_read(self, node: int, first: int, second: int) -> None:
        """A read leads to its source, in a state of its own, and from there to the writes that come later.
        The pairs themselves have an edge where they are few or an order literal says which hold."""
        inverse, co = self.model.nodes[node].args
        split = self.relations.facts.sets["R"].may & ~self.relations.memory.chained
        later = [row.bit_count() for row in self.relations.relation(co).may.rows]
        rows = self.relations.relation(inverse).may.rows
        apart = sum(later[source] for read in elements(split) for source in elements(rows[read]))
        parts = sum(later) + sum(rows[read].bit_count() for read in elements(split))
        if apart <= _WORTH_READING_APART * parts:
            self.transitions.append((first, second, node))
            return
        middle = self._state()
        self.transitions.append((first, middle, self._restricted(inverse, split)))
        self.transitions.append((middle, second, co))
        self.transitions.append((first, second, self._restricted(node, ~split)))

    def _restricted(self, node: int, sources: int) -> int:
        """A name for the pairs of a node that start in a set."""
        self._parts.append((node, sources))
        return EPSILON - len(self._parts)

    def origin(self, leaf: int) -> tuple[int, int]:
        """The node of a leaf and the sources that it is restricted to."""
        return (leaf, -1) if leaf >= 0 else self._parts[EPSILON - leaf - 1]

    def _connect_closure(self, op: str, argument: int, first: int, second: int) -> None:
        loop = self._state()
        if op == "star":
            self.transitions.append((first, loop, EPSILON))
        else:
            self.connect(argument, first, loop)
        self.connect(argument, loop, loop)
        self.transitions.append((loop, second, EPSILON))

    def _state(self) -> int:
        self.states += 1
        return self.states - 1

    def _worth_splitting(self, left: int, right: int) -> bool:
        """Is naming all compositions more work than the edges of both parts?"""
        first, second = self.relations.relation(left).may, self.relations.relation(right).may
        incoming = [row.bit_count() for row in first.inverse().rows]
        joined = sum(count * row.bit_count() for count, row in zip(incoming, second.rows, strict=True))
        return joined > len(first) + len(second)

    # -- the graph ---------------------------------------------------------------------------------------

    def place(self, state: int, event: int) -> int:
        """The node of the graph that an event is in a state."""
        return state * self.n + (event if state else self.blocks.get(event, event))

    def row(self, leaf: int, source: int) -> int:
        """The events that a transition may lead to."""
        if leaf == EPSILON:
            return 1 << source & self.relations.facts.live
        node, sources = self.origin(leaf)
        return self.relations.relation(node).may.rows[source] if sources >> source & 1 else 0

    def steps(self) -> list[Step]:
        """All transitions, with the pairs that a cycle can use."""
        component, everything = self._components(), (1 << self.n) - 1
        leaves: dict[tuple[int, int], list[int]] = {}
        for first, second, leaf in self.transitions:
            leaves.setdefault((first, second), []).append(leaf)
        found = [Step(first, second, some, [0] * self.n) for (first, second), some in leaves.items()]
        for step in found:
            for event in elements(self.relations.facts.live):
                places = component[self.place(step.first, event)]
                events = places >> step.second * self.n & everything
                if self.blocks and step.second == 0:
                    events |= mask_of(e for e, block in self.blocks.items() if events >> block & 1)
                step.allowed[event] = events & ~self._inside(event)
        return found

    def sure_rows(self, step: Step) -> list[int]:
        """Where the relations of a step lead to whenever both events are executed."""
        rows = [0] * self.n
        for node, sources in [self.origin(leaf) for leaf in step.leaves if leaf != EPSILON]:
            must = self.relations.relation(node).must.rows
            for source in elements(sources & self.relations.facts.live):
                rows[source] |= must[source] & step.allowed[source]
        return rows

    def literal(self, leaf: int, source: int, target: int) -> int:
        """When a transition can be taken."""
        return TRUE if leaf == EPSILON else self.relations.pair(self.origin(leaf)[0], source, target)

    def _components(self) -> list[int]:
        """For each place on a cycle the places that are on one with it."""
        rows = [0] * (self.states * self.n)
        for first, second, leaf in self.transitions:
            for source in elements(self.relations.facts.live):
                row = self.row(leaf, source)
                if row:
                    rows[self.place(first, source)] |= self._targets(second, row & ~self._inside(source))
        found = [0] * len(rows)
        for members in strong_components(rows):
            first_place = members.bit_length() - 1
            if members & members - 1 or rows[first_place] >> first_place & 1:
                for place in elements(members):
                    found[place] = members
        return found

    def _targets(self, state: int, events: int) -> int:
        """The places of events in a state."""
        if state or not self.blocks:
            return events << state * self.n
        return mask_of(self.place(state, event) for event in elements(events))

    def _inside(self, event: int) -> int:
        """The events of the same block."""
        return self._members.get(self.blocks.get(event, -1), 0)
