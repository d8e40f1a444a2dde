"""Do the newest events of a graph race with others? What happens before what is what the clocks say.

A thread that waits to read a cell races as well. New writes are offered to it, also those that make it wait
on: if the read or the write is not atomic, reading it orders nothing, and that is the race.
"""

from __future__ import annotations

from treville.machines.graphs.clocks import Clocks
from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.machines.threads import Action


class Races:
    """Looks for races."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks

    def are_possible(self, graph: Graph, action: Action) -> bool:
        """Is the read that comes next, or a write of its cell, not atomic?"""
        if not self._clocks.is_atomic(action):
            return True
        return not all(self._clocks.is_atomic(write) for write in graph.writes[action.address][1:])

    def has(self, graph: Graph, event: Event) -> bool:
        """Is there an access of the same cell that does not happen before the event, one of them a write and
        one not atomic? The event happens before nothing."""
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
