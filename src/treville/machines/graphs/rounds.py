"""Rounds of loops that make no difference: the thread need not go on behind them.

A thread that is again where it was, and wrote nothing meanwhile that anybody sees, has gone round for
nothing: without that round its execution is consistent, too, with the same threads at the same places. So it
waits there: its reads can still be revisited by later writes, and then it goes on otherwise. The same holds
where the last read of a round finds what the first might have found as well: a compare-and-exchange that
fails and is tried again with what it found (M. Kokologiannakis, X. Ren, V. Vafeiadis, Dynamic partial order
reductions for spinloops, FMCAD 2021).

Nobody sees a write, either, that repeats the one before it in coherence, of the same thread: who reads it
could read that one. Writes of other threads might yet come between the two, and perhaps need that the thread
goes on. So the cell is watched: if any write of it is not ordered after those of other threads that it needs
or meets, the cell is *contested*, and rounds that write it count. What was left out until then, or until the
cell was watched, is explored again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from treville.machines.graphs.clocks import ACQUIRING
from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.machines.graphs.local import Dependencies
from treville.machines.memories import slot_of
from treville.machines.threads import Does, Run, Threads
from treville.programs import ir
from treville.programs.flow import registers_of

_MOST_THREADS = 64  # as `Memories.fresh` names objects
_UNSEEN = (Kind.READ, Kind.FENCE, Kind.CHOOSE, Kind.WAIT)


class Again(Exception):
    """What was left out so far may make a difference after all."""


class Rounds:
    """Looks for rounds that make no difference. `globals` is the number of globals, `behind` the thread
    after an action with a result."""

    def __init__(
        self, threads: Threads, global_count: int, behind: Callable[[int, int], int],
        depends: Dependencies | None, orderless: frozenset[str],
    ) -> None:  # fmt: skip
        self.watched: set[int] = set()  # the cells in which repeated writes count for nothing
        self._contested: set[int] = set()
        self.threads, self._globals, self._behind = threads, global_count, behind
        self._depends, self._orderless = depends, orderless
        self._overwritten: dict[tuple[int, int], bool] = {}
        self._weaker: dict[tuple[int, int], bool] = {}

    def ends(self, graph: Graph, event: Event, after: int) -> bool:
        """Does a round end with the event, behind which the thread is `after`?"""
        was_here = event.marks & self.threads.mark(after)
        if was_here and self._is_back(graph, event, event, after):
            return True
        firsts = {first.index for first in self._that_find_as_well(graph, event, after)}
        if not was_here and not firsts:
            return False
        events = graph.threads[event.thread]
        for index in range(event.index - 1, -1, -1):
            other = events[index]
            kind = other.kind
            if kind is Kind.WRITE:
                if not self._is_unseen(graph, other, after):
                    return False
            elif kind not in _UNSEEN:
                return False
            if index in firsts or self._is_back(graph, other, event, after):
                return True
        return False

    def _that_find_as_well(self, graph: Graph, event: Event, after: int) -> Iterator[Event]:
        """Earlier reads of the cell that might have ended a round in the place of the event."""
        if event.kind is not Kind.READ:
            return
        for other in graph.reads.get(event.place, ()):
            is_earlier = other.thread == event.thread and other.index < event.index
            if is_earlier and self._finds_as_well(graph, other, event, after):
                yield other

    def _is_back(self, graph: Graph, first: Event, last: Event, after: int) -> bool:
        """Is the thread where it was before the first event, and depends on no less?"""
        if not self.threads.same_place(first.state, after):
            return False
        return self._depends is None or self._depends.are_kept(graph, first, last, after)

    def _finds_as_well(self, graph: Graph, first: Event, last: Event, after: int) -> bool:
        """Might the first read of a round have found what the last one found, with the same effect, and with
        no more order of what follows?"""
        if not self._is_weaker(first, last):
            return False
        if not self.threads.same_place(self._behind(first.state, last.value), after):
            return False
        return self._depends is None or self._depends.are_no_more(graph, first, last, after)

    def _is_weaker(self, one: Event, other: Event) -> bool:
        """Does a read order no more than another one would in its place?"""
        key = (id(one.instruction), id(other.instruction))
        found = self._weaker.get(key)
        if found is None:
            asked, has = _tags(one) - self._orderless, _tags(other)
            found = asked <= has or (asked <= {"ACQ"} and bool(has & ACQUIRING))
            self._weaker[key] = found
        return found

    def _is_unseen(self, graph: Graph, write: Event, after: int) -> bool:
        """Does a write leave what was there, or something that nobody will see?"""
        events = graph.threads[write.thread]
        if write.linked:
            return write.value == events[write.index - 1].value
        if self._is_private(events, write) and self._is_overwritten(after, write.place):
            return True
        return self._repeats(graph, write)

    def _repeats(self, graph: Graph, write: Event) -> bool:
        """Does a write leave what the same instruction has written just before, or what was there at first,
        and depend on no less?"""
        place = write.place
        if place in self._contested:
            return False
        writes = graph.writes[place]
        before = writes[writes.index(write) - 1]
        if before.value != write.value or before.thread not in (-1, write.thread):
            return False
        if before.thread == write.thread and not self._depends_as(graph, before, write):
            return False
        if place not in self.watched:
            self.watched.add(place)
            raise Again
        return True

    def _depends_as(self, graph: Graph, before: Event, write: Event) -> bool:
        if before.instruction is not write.instruction:
            return False
        if self._depends is None:
            return True
        needs = self._depends.of(graph, write.thread)
        first, second = needs[before.index], needs[write.index]
        return first is not None and second is not None and first.are_among(second)

    def contest(self, place: int) -> None:
        """A write of a cell is not ordered after those of others."""
        self.watched.discard(place)
        self._contested.add(place)
        raise Again

    def _is_private(self, events: list[Event], write: Event) -> bool:
        """Is it in an object that the thread made, and told nobody of?"""
        slot = slot_of(write.place)
        if slot < self._globals or (slot - self._globals) % _MOST_THREADS != write.thread:
            return False
        told = (Kind.WRITE, Kind.SPAWN)
        return not any(
            event.kind in told and slot in (slot_of(event.value), slot_of(_argument(event)))
            for event in events
        )

    def _is_overwritten(self, state: int, place: int) -> bool:
        """Does the thread write the cell before it does anything that might depend on what is there?"""
        key = (state, place)
        found = self._overwritten.get(key)
        if found is None:
            found = self._overwritten[key] = self._looked_ahead(state, place)
        return found

    def _looked_ahead(self, state: int, place: int) -> bool:
        action = self.threads.actions[state]
        if action.does is Does.STORE:
            return action.address == place
        frame = self.threads.frames[state]
        if action.does is not Does.LOAD or action.address == place or frame.end is not None:
            return False
        changed = {getattr(action.instruction, "register", None)}
        for instruction in self.threads.bodies[frame.body].instructions[frame.position + 1 :]:
            if isinstance(instruction, ir.Local):
                changed.add(instruction.register)
            elif isinstance(instruction, ir.Store) and instruction.when is None:
                if registers_of(instruction.address) & changed:
                    return False
                return Run(self.threads, frame).evaluate(instruction.address) == place
            else:
                return False
        return False


def _argument(event: Event) -> int:
    return event.place if event.kind is Kind.SPAWN else 0


def _tags(event: Event) -> frozenset[str]:
    return frozenset(getattr(event.instruction, "tags", ()))
