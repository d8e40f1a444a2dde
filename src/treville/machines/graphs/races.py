"""Do the newest events of a graph race with others? What happens before what is what the clocks say."""

from __future__ import annotations

from collections.abc import Callable

from treville.machines.graphs.clocks import Clocks
from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.machines.threads import Action


class Races:
    """Looks for races; `reading` makes the read of a write that a thread would do next."""

    def __init__(self, clocks: Clocks, reading: Callable[[Graph, int, Event, Event], Event]) -> None:
        self._clocks, self._reading = clocks, reading

    def are_possible(self, graph: Graph, action: Action) -> bool:
        """Is the read that comes next, or a write of its cell, not atomic?"""
        if not self._clocks.is_atomic(action):
            return True
        return not all(self._clocks.is_atomic(write) for write in graph.writes[action.address][1:])

    def with_race(self, graph: Graph, fresh: tuple[Event, ...]) -> Graph | None:
        """The graph, if one of the events, which happen before nothing, races in it. A thread that waits to
        read races with writes as well: then the graph has its read."""
        for event in fresh:
            if self._races(graph, event):
                return graph
            if event.kind is Kind.WRITE and graph.waiting and graph.writes[event.place][-1] is event:
                found = self._with_waiting_read(graph, event)
                if found is not None:
                    return found
        return None

    def _races(self, graph: Graph, event: Event) -> bool:
        """Is there an access of the same cell that does not happen before the event, one of them a write and
        one not atomic?"""
        others = graph.writes[event.place][1:]
        if event.kind is Kind.WRITE:
            others = (*others, *graph.reads.get(event.place, ()))
        atomic = self._clocks.is_atomic(event)
        return any(
            other.thread != event.thread
            and not other.bit & event.before
            and not (atomic and self._clocks.is_atomic(other))
            for other in others
        )

    def _with_waiting_read(self, graph: Graph, write: Event) -> Graph | None:
        """The graph with a read of what was there before the write, by a thread that waits for the cell."""
        for number in graph.waiting:
            wait = graph.last(number)
            if wait.place != write.place or wait.thread == write.thread or wait.bit & write.before:
                continue
            read = self._reading(graph, number, wait, graph.writes[write.place][-2])
            if not (self._clocks.is_atomic(write) and self._clocks.is_atomic(read)):
                other = graph.copy()
                other.add(read)
                return other
        return None
