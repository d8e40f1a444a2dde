"""A relation that must be acyclic -> a small automaton over simpler relations (paper 004, section 4.5.5).

Unions, compositions and closures become states and transitions; the graph has one copy of the events per
state, and a path through it that returns to the first state is a path of the relation. A composition then
costs the edges of its two parts instead of all their combinations. Copies within which definitions could
form cycles of their own (a closure of something that is not acyclic by itself) would forbid too much, so
there the pairs are spelt out. Edges that no cycle can use are left out.
"""

from __future__ import annotations

from treville.encoding.relations import RelationEncoding
from treville.formulas.formula import TRUE, Literal
from treville.models.model import Model, NodeId, Operator, StepsOperator
from treville.models.recognise import is_from_read
from treville.records import NamedTuple
from treville.relations import EventId, all_events, bits, elements, mask_of
from treville.relations.graphs import strong_components

EPSILON = -1
# So much larger must the pairs of from-read be than those of its two parts.
_WORTH_READING_APART = 2
# From-read to some threads alone has a state for each thread: not for more than this.
_MOST_GROUPS = 8


class Step(NamedTuple):
    """The relations that lead from one state to another, and the targets of each event that it can be on a
    cycle with."""

    first: int
    second: int
    leaves: list[int]
    allowed: list[int]


class Leaf(NamedTuple):
    """A part of a relation: those pairs of the node that the rows have (None: all), or with `sure` those of
    them that it must have."""

    node: NodeId
    rows: list[int] | None = None
    sure: bool = False


class Automaton:
    """States and transitions labelled by relations; state 0 is where words of the relation start and end."""

    def __init__(self, model: Model, relations: RelationEncoding, blocks: dict[EventId, EventId]) -> None:
        self.model = model
        self.relations = relations
        self.blocks = blocks  # in state 0 an event counts as the first of its block
        self.n = relations.facts.n
        self.states = 1
        self.transitions: list[tuple[int, int, int]] = []
        self._members: dict[EventId, int] = {}
        for event, block in blocks.items():
            self._members[block] = self._members.get(block, 0) | 1 << event
        self._parts: list[Leaf] = []
        self._sources: dict[tuple[int, int], int] = {}  # from a state and some reads: to their sources

    def connect(self, node: NodeId, first: int, second: int) -> None:
        """Make the words of a node lead from one state to another."""
        definition = self.model.nodes[node]
        op, args = definition.op, definition.args
        bounds = self.relations.relation(node)
        if not any(bounds.may.rows):
            return
        if bounds.static or (self.blocks and op is not Operator.UNION):
            self.transitions.append((first, second, node))
        elif op is Operator.UNION:
            for argument in args:
                self.connect(argument, first, second)
        elif self._reads_apart(node, first, second):
            return
        elif op is Operator.COMPOSITION and self._worth_splitting(*args):
            middle = self._state()
            self.connect(args[0], first, middle)
            self.connect(args[1], middle, second)
        elif op is Operator.OPTIONAL and first != second:
            self.connect(args[0], first, second)
            self.transitions.append((first, second, EPSILON))
        elif op is Operator.PLUS and first == second:
            self.connect(args[0], first, first)
        elif (
            (op is Operator.PLUS or op is Operator.STAR)
            and first != second
            and self.relations.relation(args[0]).may.is_acyclic()
        ):
            self._connect_closure(op, args[0], first, second)
        else:  # spelt out pair by pair, which is right for every operator
            self.transitions.append((first, second, node))

    def _reads_apart(self, node: NodeId, first: int, second: int) -> bool:
        """From-read, or as much of it as another relation has that does not depend on the execution: a read
        leads to its source, in a state of its own, and from there to the writes that come later. The pairs
        themselves keep their edges where they are few, or where order literals say which hold. Not where
        blocks count as one event: one that reads and then writes would lead through the source to itself."""
        kept = self._from_read_in(node)
        if kept is None or self.blocks:
            return False
        from_read, rows = kept
        inverse, co = self.model.nodes[from_read].args
        split = self.relations.facts.sets["R"].may & ~self.relations.memory.chained
        groups: dict[int, int] = {}
        for read in elements(split):
            groups[rows[read]] = groups.get(rows[read], 0) | 1 << read
        if len(groups) > _MOST_GROUPS or not self._worth_reading_apart(inverse, co, split):
            return False
        for targets, reads in groups.items():
            if (first, reads) not in self._sources:
                self._sources[first, reads] = self._state()
                self.add(first, self._sources[first, reads], Leaf(inverse, self._from(reads)))
            self.add(self._sources[first, reads], second, Leaf(co, [targets] * self.n))
        self.add(first, second, Leaf(node, self._from(~split)))
        return True

    def _from(self, sources: int) -> list[int]:
        """The rows of all pairs that start in a set."""
        return [-(sources >> event & 1) for event in all_events(self.n)]

    def _from_read_in(self, node: NodeId) -> tuple[NodeId, list[int]] | None:
        """The node `rf^-1; co` and what of it the node keeps, if it is an intersection with a fixed relation
        or that node itself."""
        definition = self.model.nodes[node]
        if is_from_read(self.model, node):
            return node, [-1] * self.n
        if definition.op is Operator.INTERSECTION:
            for one, other in (definition.args, definition.args[::-1]):
                if is_from_read(self.model, one) and self.relations.relation(other).static:
                    return one, self.relations.relation(other).may.rows
        return None

    def _worth_reading_apart(self, inverse: NodeId, co: NodeId, split: int) -> bool:
        later = [row.bit_count() for row in self.relations.relation(co).may.rows]
        rows = self.relations.relation(inverse).may.rows
        apart = sum(later[source] for read in elements(split) for source in elements(rows[read]))
        parts = sum(later) + sum(rows[read].bit_count() for read in elements(split))
        return apart > _WORTH_READING_APART * parts

    def add(self, first: int, second: int, leaf: Leaf) -> None:
        """A transition that is labelled with a part of a relation."""
        self._parts.append(leaf)
        self.transitions.append((first, second, EPSILON - len(self._parts)))

    def leaf(self, number: int) -> Leaf:
        """What a transition is labelled with: a node, or a part of one."""
        return Leaf(NodeId(number)) if number >= 0 else self._parts[EPSILON - number - 1]

    def _connect_closure(self, op: StepsOperator, argument: NodeId, first: int, second: int) -> None:
        loop = self._state()
        if op is Operator.STAR:
            self.transitions.append((first, loop, EPSILON))
        else:
            self.connect(argument, first, loop)
        self.connect(argument, loop, loop)
        self.transitions.append((loop, second, EPSILON))

    def _state(self) -> int:
        self.states += 1
        return self.states - 1

    def _worth_splitting(self, left: NodeId, right: NodeId) -> bool:
        """Is naming all compositions more work than the edges of both parts?"""
        first, second = self.relations.relation(left).may, self.relations.relation(right).may
        incoming = [row.bit_count() for row in first.inverse().rows]
        joined = sum(count * row.bit_count() for count, row in zip(incoming, second.rows, strict=True))
        return joined > len(first) + len(second)

    # -- the graph ---------------------------------------------------------------------------------------

    def place(self, state: int, event: EventId) -> int:
        """The node of the graph that an event is in a state."""
        return state * self.n + (event if state else self.blocks.get(event, event))

    def row(self, leaf: int, source: EventId) -> int:
        """The events that a transition may lead to."""
        if leaf == EPSILON:
            return 1 << source & self.relations.facts.live
        node, rows, sure = self.leaf(leaf)
        bounds = self.relations.relation(node)
        row = bounds.must.rows[source] if sure else bounds.may.rows[source]
        return row if rows is None else row & rows[source]

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
        for node, kept, _ in [self.leaf(leaf) for leaf in step.leaves if leaf != EPSILON]:
            must = self.relations.relation(node).must.rows
            for source, allowed in enumerate(step.allowed):
                rows[source] |= must[source] & allowed & (-1 if kept is None else kept[source])
        return rows

    def literal(self, leaf: int, source: EventId, target: EventId) -> Literal:
        """When a transition can be taken."""
        return TRUE if leaf == EPSILON else self.relations.pair(self.leaf(leaf).node, source, target)

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
                for place in bits(members):
                    found[place] = members
        return found

    def _targets(self, state: int, events: int) -> int:
        """The places of events in a state."""
        if state or not self.blocks:
            return events << state * self.n
        return mask_of(self.place(state, event) for event in elements(events))

    def _inside(self, event: EventId) -> int:
        """The events of the same block."""
        block = self.blocks.get(event)
        return 0 if block is None else self._members[block]
