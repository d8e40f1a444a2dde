"""May a read have read a write that comes after it in program order and reads-from?

The search builds graphs without cycles of program order and reads-from. Some models allow such cycles (load
buffering), where a write is not ordered after a read before it in its thread. The first event that closes
such a cycle is a read; all else of the cycle is in a graph without cycles, where that read reads something
else. So it is enough to look, whenever a write is added, for reads of its cell that it needs but that are
not ordered before it by what the model preserves of program order and by reads-from between threads: with
none, there are no cycles (compare M. Kokologiannakis, V. Vafeiadis, HMC: model checking for hardware memory
models, ASPLOS 2020).
"""

from __future__ import annotations

from treville.machines.graphs.event import Event, Kind, initial_write
from treville.machines.graphs.graph import Graph
from treville.machines.graphs.local import Dependencies, Key, key_of
from treville.machines.graphs.relations import Base, Spend, uncounted, units_of
from treville.models.evaluate import defined
from treville.models.model import Model
from treville.relations import Relation

_COMMUNICATION = ("rf", "co", "fr")


class EarlyWrites:
    """Looks for such reads; `names` are the model's definitions of preserved program order."""

    def __init__(self, model: Model, names: tuple[str, ...], depends: Dependencies) -> None:
        self.model, self.names, self.depends = model, names, depends
        self.spend: Spend = uncounted
        self._known: dict[Key, list[int]] = {}
        self._local: dict[Key, list[int]] = {}

    def possible(self, graph: Graph, write: Event) -> bool:
        """Does the write, which comes next, need a read of its cell that is not ordered before it?"""
        wanted = 0
        for read in graph.reads.get(write.place, ()):
            if read.bit & write.prefix and read.thread != write.thread:
                wanted |= read.bit
        return bool(wanted) and bool(wanted & ~self.ordered(graph, write, wanted))

    def ordered(self, graph: Graph, write: Event, wanted: int) -> int:
        """The events that are ordered before the write, which comes next; no more of them than are needed to
        know the wanted."""
        graph.threads[write.thread].append(write)
        graph.order.append(write)
        try:
            found = self._ordered(graph, write, wanted, alone=True)
            return found if not wanted & ~found else self._ordered(graph, write, wanted)
        finally:
            graph.threads[write.thread].pop()
            graph.order.pop()

    def _ordered(self, graph: Graph, write: Event, wanted: int, alone: bool = False) -> int:
        """The same; `alone`: without what threads owe to those that started them."""
        events = {event.bit: event for event in graph.order}
        found = todo = write.bit
        local: dict[int, list[int]] = {}
        while todo and wanted & ~found:
            bit = 1 << todo.bit_length() - 1
            todo ^= bit
            event = events[bit]
            if not alone and event.thread not in local:
                local[event.thread] = self._preserved(graph, event.thread, write)
            before = self.local(graph, event) if alone else local[event.thread][event.index]
            source = event.source
            if source is not None and source.thread not in (event.thread, -1):
                before |= source.bit
            todo |= before & ~found
            found |= before
        return found

    def _preserved(self, graph: Graph, thread: int, write: Event) -> list[int]:
        """For each event of the thread that the write needs those before it that it is ordered after, also
        in the threads that started it."""
        part = _line(graph, thread, write.prefix)
        key = tuple(key_of(part, each) for each in part.threads)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._evaluated(part, thread, self.names)
        return found

    def local(self, graph: Graph, event: Event) -> int:
        """The events of the same thread that an event is ordered after."""
        if event.preserved < 0:
            for each, before in zip(*self._alone(graph, event.thread, self.names), strict=True):
                each.preserved = before
        return event.preserved

    def behind_fence(self, graph: Graph, event: Event, fences: tuple[str, ...]) -> int:
        """Those that a fence orders before it."""
        if event.behind_fence < 0:
            for each, before in zip(*self._alone(graph, event.thread, fences), strict=True):
                each.behind_fence = before
        return event.behind_fence

    def _alone(self, graph: Graph, thread: int, names: tuple[str, ...]) -> tuple[list[Event], list[int]]:
        """The events of a thread, and what each is ordered after. That depends on nothing behind it."""
        events = graph.threads[thread]
        done = [(event.state, event.value) for event in events[:-1]]
        key = (names, thread, graph.roots[thread].after, events[-1].state, *done)
        found = self._local.get(key)
        if found is None:
            found = self._local[key] = self._evaluated(_alone(graph, thread), thread, names)
        return events, found

    def _evaluated(self, part: Graph, thread: int, names: tuple[str, ...]) -> list[int]:
        needs = {each: self.depends.of(part, each) for each in part.threads}
        base = Base(part, needs)
        self.spend(units_of(base))
        for name in _COMMUNICATION:
            base.relations[name] = Relation.empty(base.count)
        order = Relation.empty(base.count)
        for each in defined(self.model, base.count, base.sets, base.relations, names):
            order = order | each
        rows = order.plus().inverse().rows
        found = []
        for event in part.threads[thread]:
            number, before = base.numbers.get(id(event)), 0
            row = 0 if number is None else rows[number] & (1 << len(base.events)) - 1
            while row:
                low = row & -row
                row ^= low
                before |= base.events[low.bit_length() - 1].bit
            found.append(before)
        return found


def _alone(graph: Graph, thread: int) -> Graph:
    """A thread; reads read nothing."""
    part = Graph()
    part.threads[thread], part.roots[thread] = graph.threads[thread], graph.roots[thread]
    part.order = graph.threads[thread]
    return _without_others(part)


def _line(graph: Graph, thread: int, kept: int) -> Graph:
    """A thread and those that started it, up to the start; reads read nothing."""
    part = Graph()
    while True:
        root = graph.roots[thread]
        part.threads[thread] = [event for event in graph.threads[thread] if event.bit & kept]
        part.roots[thread] = root
        if root.bit == 1:
            break
        kept = root.po
        thread = next(
            number
            for number, events in graph.threads.items()
            if any(event.bit == root.bit for event in events)
        )
    line = 0
    for events in part.threads.values():
        for event in events:
            line |= event.bit
    part.order = [event for event in graph.order if event.bit & line]
    return _without_others(part)


def _without_others(part: Graph) -> Graph:
    """The part with the cells that its events access."""
    for event in part.order:
        place = event.place
        if event.kind in (Kind.READ, Kind.WRITE) and place not in part.writes:
            part.writes[place] = (initial_write(place, 0),)
        if event.kind is Kind.WRITE:
            part.writes[place] = (*part.writes[place], event)
        elif event.kind is Kind.READ:
            part.reads[place] = (*part.reads.get(place, ()), event)
    return part
