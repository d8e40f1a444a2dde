"""An execution graph that grows: events by thread, coherence and reads by cell, and the order of
additions."""

from __future__ import annotations

from treville.machines.graphs.event import INITIAL, Event, Kind


class Graph:
    """`threads` are the events of each thread, `roots` what started it, `order` all events as they were
    added. `writes` has coherence for each cell, the initial write first, `reads` the reads of each cell,
    `objects` the allocations by where the objects begin, `frees` what ended them, `joins` who joined a
    thread. `waiting` are the threads that wait for a read to find something else than what the masks of
    writes have. `urgent` is a thread in the middle of a read-modify-write, or -1."""

    __slots__ = (
        "frees", "joins", "objects", "order", "reads", "roots", "threads", "urgent", "waiting", "writes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.threads: dict[int, list[Event]] = {}
        self.roots: dict[int, Event] = {}
        self.order: list[Event] = []
        self.writes: dict[int, tuple[Event, ...]] = {}
        self.reads: dict[int, tuple[Event, ...]] = {}
        self.objects: dict[int, Event] = {}
        self.frees: dict[int, Event] = {}
        self.joins: dict[int, Event] = {}
        self.waiting: dict[int, int] = {}
        self.urgent = -1

    def copy(self) -> Graph:
        """The same graph, which may grow in another way."""
        other = Graph.__new__(Graph)
        other.threads = {thread: events[:] for thread, events in self.threads.items()}
        other.roots = self.roots.copy()
        other.order = self.order[:]
        other.writes = self.writes.copy()
        other.reads = self.reads.copy()
        other.objects = self.objects.copy()
        other.frees = self.frees.copy()
        other.joins = self.joins.copy()
        other.waiting = self.waiting.copy()
        other.urgent = self.urgent
        return other

    def restricted(self, kept: int) -> Graph:
        """The events in the mask, which has all that they need."""
        other = Graph.__new__(Graph)
        other.order = [event for event in self.order if event.bit & kept]
        other.roots = {thread: root for thread, root in self.roots.items() if root.bit & kept}
        threads = self.threads
        other.threads = {
            thread: [event for event in threads[thread] if event.bit & kept] for thread in other.roots
        }
        other.writes = {
            place: tuple([write for write in writes if write.bit & kept])
            for place, writes in self.writes.items()
        }
        other.reads = {
            place: tuple([read for read in reads if read.bit & kept]) for place, reads in self.reads.items()
        }
        other.objects = {at: event for at, event in self.objects.items() if event.bit & kept}
        other.frees = {at: event for at, event in self.frees.items() if event.bit & kept}
        other.joins = {thread: event for thread, event in self.joins.items() if event.bit & kept}
        other.waiting = {
            thread: events[-1].known & kept
            for thread, events in other.threads.items()
            if events and events[-1].kind is Kind.WAIT
        }
        other.urgent = -1
        return other

    def revisited(self, kept: int, old: Event, new: Event) -> Graph:
        """The events in the mask, with one read in place of another, the last of its thread."""
        other = self.restricted(kept)
        other.order[other.order.index(old)] = new
        other.threads[new.thread][-1] = new
        other.reads[new.place] = tuple([new if read is old else read for read in other.reads[new.place]])
        other.urgent = new.thread if new.linked and not new.idle else -1
        return other

    def without(self, read: Event) -> None:
        """Take a read away, the last event of its thread."""
        self.threads[read.thread].pop()
        self.order.remove(read)
        self.reads[read.place] = tuple([other for other in self.reads[read.place] if other is not read])

    def last(self, thread: int) -> Event:
        """The last event of a thread, or what started it."""
        events = self.threads[thread]
        return events[-1] if events else self.roots[thread]

    def add(self, event: Event) -> None:
        """Add an event behind all others of its thread; a write must get its place in coherence as well."""
        self.threads[event.thread].append(event)
        self.order.append(event)
        if event.kind is Kind.READ:
            self.reads[event.place] = (*self.reads.get(event.place, ()), event)

    def place_write(self, event: Event, position: int) -> None:
        """Put a write into coherence."""
        writes = self.writes[event.place]
        self.writes[event.place] = (*writes[:position], event, *writes[position:])

    def readers(self, write: Event) -> int:
        """The mask of who reads a write."""
        found = 0
        for read in self.reads.get(write.place, ()):
            if read.source is write:
                found |= read.bit
        return found

    def later(self, write: Event) -> int:
        """The mask of the writes behind one in coherence."""
        found = 0
        for other in reversed(self.writes[write.place]):
            if other is write:
                break
            found |= other.bit
        return found


def may_be_revisited(graph: Graph, read: Event, prefix: int, first_choices: dict[int, int]) -> int | None:
    """The events to keep if a new write with this prefix (without the write) is to be read by an earlier
    read; None if what would be deleted, or the read, was not added as it would be again: reading the last
    write in coherence, written last, chosen first (TruSt, section 3.3). What makes a thread wait that had
    read something else counts as read by it."""
    order = graph.order
    start = order.index(read)
    kept = INITIAL
    for event in order[:start]:
        kept |= event.bit
    so_far, waited = kept | prefix, 0
    for place, event in enumerate(order):
        if event.because and not _goes_on(graph, event, prefix):
            waited |= event.because
        if place < start:
            continue
        so_far |= event.bit
        if event.bit & prefix:
            continue
        kind = event.kind
        if kind is Kind.READ:
            source = event.source
            assert source is not None
            if not source.bit & so_far or graph.later(source) & so_far:
                return None
        elif kind is Kind.WRITE:
            if event.bit & waited or graph.later(event) & so_far or graph.readers(event) & so_far:
                return None
        elif kind is Kind.CHOOSE and event.value != first_choices[event.state]:
            return None
    return kept | prefix | read.bit


def _goes_on(graph: Graph, wait: Event, mask: int) -> bool:
    """Did the thread go on behind a wait with something that is in the mask?"""
    events = graph.threads[wait.thread]
    return wait.index + 1 < len(events) and bool(events[wait.index + 1].bit & mask)
