"""Does a model surely forbid a graph? A quick look at the order that it preserves in each thread.

Most choices that are not the last in coherence contradict an order that fences, dependencies and reads make
between threads: a lock that was handed over, but what was written under it is not seen. Such a cycle is found
without the model's relations. What each thread preserves is evaluated once (`early`); between threads there
are reads-from and, where all others see a write at once, coherence and from-reads. On Power and Armv7 these
two may only begin the cycle, and what they lead to must be followed by a fence, or be read before one
(J. Alglave, L. Maranget, M. Tautschnig, Herding cats, TOPLAS 2014: `fre; prop; hb*` and `co | prop`).
"""

from __future__ import annotations

from treville.machines.graphs.early import EarlyWrites
from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph


class Forbidden:
    """Looks for such cycles. `fences` are the definitions of what fences order where writes are not seen by
    all others at once."""

    def __init__(self, early: EarlyWrites, fences: tuple[str, ...] = ()) -> None:
        self._early, self._fences = early, fences

    def has(self, graph: Graph, write: Event, new: Event, within: int) -> bool:
        """Is there a cycle within some events through the newest one, which reads or is the write, or through
        a newer write?"""
        if self._closes(graph, write, new, within):
            return True
        return new is not write and write is graph.order[-1] and self._closes(graph, write, write, within)

    def _closes(self, graph: Graph, write: Event, last: Event, within: int) -> bool:
        writes = graph.writes[write.place]
        behind = [other for other in writes[writes.index(write) + 1 :] if other.thread != last.thread]
        if not behind:
            return False
        wanted = 0
        for other in behind:
            wanted |= other.bit
        before = self._before(graph, last, 0 if self._fences else wanted, within)
        if not self._fences:
            return bool(before & wanted)
        return any(self._is_propagated(graph, other, before) for other in behind)

    def _before(self, graph: Graph, last: Event, wanted: int, within: int) -> int:
        """What is ordered before an event, the newest first; no more than is needed to find something
        wanted."""
        events = {event.bit: event for event in graph.order}
        found = todo = last.bit
        while todo and not found & wanted:
            bit = 1 << todo.bit_length() - 1
            todo ^= bit
            event = events[bit]
            before = (self._early.local(graph, event) | self._communicated(graph, event)) & within
            todo |= before & ~found
            found |= before
        return found

    def _communicated(self, graph: Graph, event: Event) -> int:
        """What communicates with an event from other threads."""
        if event.kind is Kind.READ:
            source = event.source
            return source.bit if source is not None and source.thread not in (-1, event.thread) else 0
        if event.kind is not Kind.WRITE or self._fences:
            return 0
        found, earlier = 0, set[int]()
        for write in graph.writes[event.place]:
            if write is event:
                break
            earlier.add(id(write))
            if write.thread not in (-1, event.thread):
                found |= write.bit
        for read in graph.reads.get(event.place, ()):
            if id(read.source) in earlier and read.thread != event.thread:
                found |= read.bit
        return found

    def _is_propagated(self, graph: Graph, write: Event, before: int) -> bool:
        """Does a fence order the write, or another thread's read of it, before a write that is before?"""
        starts = [write]
        starts += [read for read in graph.reads.get(write.place, ()) if read.source is write]
        for start in starts:
            if start is not write and start.thread == write.thread:
                continue
            for event in graph.threads[start.thread][start.index + 1 :]:
                if event.kind is not Kind.WRITE or not event.bit & before:
                    continue
                if self._early.behind_fence(graph, event, self._fences) & start.bit:
                    return True
        return False
