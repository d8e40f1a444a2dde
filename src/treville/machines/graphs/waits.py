"""Reads that wait: a lock that is taken, a value that has not come yet, an assumption that does not hold.

A thread whose read finds such a value goes no further, so the read itself is no event: the thread waits, and
a `WAIT` event stands for that. What it might have read instead is tried when it begins to wait; then each
write that is added is offered to it. If that is the last one in coherence the thread reads it at once, since
a later write can still take that read over; otherwise the thread may as well wait on, which is another such
event: if what came later is deleted, it is offered just the later writes again. So there are no graphs in
which a thread waits for what has come long ago (compare revisits in place: M. Kokologiannakis, X. Ren, V.
Vafeiadis, Dynamic partial order reductions for spinloops, FMCAD 2021). A read-modify-write waits likewise,
if it would write nothing, or what it has read.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.machines.graphs.local import Dependencies
from treville.machines.threads import ARBITRARY, Action, Does, Threads
from treville.programs import ir
from treville.programs.operators import wrap


class Waits:
    """Knows which values leave a thread where it is."""

    def __init__(
        self, threads: Threads, behind: Callable[[int, int], int], depends: Dependencies | None = None
    ) -> None:
        self._threads, self._behind, self._depends = threads, behind, depends
        self._known: dict[tuple[int, int], bool] = {}

    def blocks(self, state: int, action: Action, write: Event) -> bool:
        """Does a thread that reads the write go no further, or come back to the same read?"""
        key = (state, write.value)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = write.value != ARBITRARY and self._is_in_vain(state, action, write)
        return found

    def _is_in_vain(self, state: int, action: Action, write: Event) -> bool:
        load = action.instruction
        assert isinstance(load, ir.Load)
        value = wrap(write.value, load.bits) if load.register is not None else 0
        after = self._threads.after(state, value)
        if load.link:
            after = self._behind_update(after, value)
        if self.is_stuck(after):
            return True
        if not self._threads.same_place(state, after):
            return False
        return self._depends is None or self._depends.are_kept_by_read(state, value)

    def _behind_update(self, state: int, value: int) -> int:
        """The thread behind an update that leaves the value or does not write, else in front of its write."""
        store = self._threads.actions[state]
        if store.does is Does.SKIP or (store.does is Does.STORE and store.value == value):
            return self._behind(state, 0)
        return state

    def is_stuck(self, state: int) -> bool:
        """Does the thread not go on because an assumption does not hold?"""
        action = self._threads.actions[state]
        return action.does is Does.BLOCKED and isinstance(action.instruction, ir.Assume)

    def begin(self, last: Event, thread: int, bit: int, place: int) -> Event:
        """The event of a thread that begins to wait."""
        event = Event(Kind.WAIT, thread, last.index + 1, bit, last.after)
        event.place, event.idle, event.marks = place, True, last.marks
        event.prefix, event.po, event.before = last.prefix | bit, last.po | bit, last.before | bit
        event.seen = last.seen
        event.pending, event.pending_seen = last.pending, last.pending_seen
        event.fenced, event.fenced_seen = last.fenced, last.fenced_seen
        return event


def mask_of(graph: Graph, place: int) -> int:
    """The bits of all writes of a cell."""
    found = 0
    for write in graph.writes[place]:
        found |= write.bit
    return found
