"""What happens before an event, and which writes it knows of, from what its thread and its source know.

Where a read comes from, and where a write goes in coherence, must not contradict what its thread has seen:
the lower bound of the coherent choices. What happens before what is program order under models of hardware,
all that an event needs under SC, and RC11's synchronisation there (PLDI 2017, section 3).
"""

from __future__ import annotations

from enum import Enum

from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.machines.threads import Action
from treville.programs import ir

ATOMIC = frozenset(("RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"))
ACQUIRING = frozenset(("ACQ", "ACQ_REL", "SC"))
RELEASING = frozenset(("REL", "ACQ_REL", "SC"))


class Order(Enum):
    """What surely happens before what."""

    PROGRAM = "program order"
    CAUSAL = "program order and reads-from"
    C11 = "happens-before of C11"


class Clocks:
    """Fills the masks of new events."""

    def __init__(self, program: ir.Program, order: Order) -> None:
        self.order = order
        self._tags = {id(i): frozenset(getattr(i, "tags", ())) for i in program.instructions()}

    def is_atomic(self, event: Event | Action) -> bool:
        """Is it an atomic access?"""
        return "A" in self._tags[id(event.instruction)]

    def surely_before(self, event: Event) -> int:
        """The mask of what is before an event in whatever order the model has."""
        return event.po if self.order is Order.PROGRAM else event.before

    def follow(self, event: Event, last: Event) -> None:
        """An event behind the last one of its thread; a read has its source already."""
        bit = event.bit
        event.po = last.po | bit
        event.prefix, event.before, event.seen = last.prefix | bit, last.before | bit, last.seen
        source = event.source
        if event.kind is Kind.WRITE:
            event.seen |= bit
        elif source is not None:
            event.prefix |= source.prefix
            event.seen |= source.bit
        if self.order is Order.CAUSAL:
            event.before = event.prefix
            if source is not None:
                event.seen |= source.seen
        elif self.order is Order.C11:
            self._synchronise(event, last)

    def join(self, event: Event, child: Event) -> None:
        """The event comes after all that a thread has done."""
        event.po |= child.po
        event.prefix |= child.prefix
        event.before |= child.before
        event.seen |= child.seen
        event.pending |= child.pending
        event.pending_seen |= child.pending_seen
        event.fenced |= child.fenced
        event.fenced_seen |= child.fenced_seen

    def _synchronise(self, event: Event, last: Event) -> None:
        event.pending, event.pending_seen = last.pending, last.pending_seen
        event.fenced, event.fenced_seen = last.fenced, last.fenced_seen
        tags = self._tags.get(id(event.instruction), frozenset())
        source = event.source
        if source is not None:
            if source.releases and tags & ATOMIC:
                if tags & ACQUIRING:
                    event.before |= source.releases
                    event.seen |= source.released_seen
                else:
                    event.pending |= source.releases
                    event.pending_seen |= source.released_seen
        elif event.kind is Kind.FENCE:
            if tags & ACQUIRING:
                event.before |= event.pending
                event.seen |= event.pending_seen
            if tags & RELEASING:
                event.fenced, event.fenced_seen = event.before, event.seen

    def release(self, write: Event, graph: Graph, read: Event | None) -> None:
        """What others get who read a write of the graph and acquire; `read` is the other half of an
        update."""
        if self.order is not Order.C11:
            return
        tags = self._tags[id(write.instruction)]
        if read is not None and read.source is not None:
            write.releases, write.released_seen = read.source.releases, read.source.released_seen
        if not tags & ATOMIC:
            return
        if tags & RELEASING:
            write.releases |= write.before
            write.released_seen |= write.seen
            return
        write.releases |= write.fenced
        write.released_seen |= write.fenced_seen
        for other in graph.writes[write.place][1:]:
            if other.bit & write.po and self._tags[id(other.instruction)] & RELEASING:
                write.releases |= other.before
                write.released_seen |= other.seen


def lower_bound(graph: Graph, place: int, seen: int) -> int:
    """The position in coherence of the last write that is known."""
    writes = graph.writes[place]
    for position in range(len(writes) - 1, 0, -1):
        if writes[position].bit & seen:
            return position
    return 0
