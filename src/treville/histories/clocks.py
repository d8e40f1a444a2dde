"""Views of single processes (PRAM, causal), for histories in which the source of every read is certain.

A view of process p keeps an order of which every thread is a chain, so what must precede an event is a
*vector clock*: for each thread, how many of its events. One rule is enough, because the reads of the view
stand in one chain: if a read takes its value from w, every other write to the location that must precede the
read must precede w (for causal memory A. Bouajjani, C. Enea, R. Guerraoui, J. Hamza: On verifying causal
consistency, POPL 2017). If that leads to no cycle and no write must precede a read of the initial value, the
view is there: p's events in their order, each behind all that must precede it. An event gets its clock when
something of p needs it, so a new order seldom has to be carried far.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import pairwise

from treville.histories.clusters import conflict_of
from treville.histories.graph import short_cycle
from treville.histories.history import Events
from treville.histories.saturation import Conflict
from treville.histories.views import Instance
from treville.relations.graphs import shortest_path, topological
from treville.results import Budget, BudgetExceeded

_EVENTS_BETWEEN_CHECKS = 512
_STARTS_OF_CYCLES = 20
_BYTES_OF_A_NUMBER = 40
_BYTES_FOR_CLOCKS = 1_500_000_000


def causal_cycle(events: Events, sources: dict[int, int]) -> Conflict | None:
    """A cycle of program order and reads-from, if there is one."""
    targets: list[list[int]] = [[] for _ in range(events.count)]
    for thread in events.threads:
        for earlier, later in pairwise(thread):
            targets[earlier].append(later)
    for read, write in sources.items():
        if not events.is_initial(write):
            targets[write].append(read)
    if len(topological(targets)) == events.count:
        return None
    around = short_cycle(targets, _STARTS_OF_CYCLES)
    return conflict_of(events, _ends_of_steps(events, [*around, *around[:2]]))


def _ends_of_steps(events: Events, path: list[int]) -> Iterator[int]:
    """The events of a path at which it enters or leaves a thread."""
    for before, after in pairwise(path):
        if events.thread_of[before] != events.thread_of[after]:
            yield from (before, after)


def process_view(
    events: Events, instance: Instance, sources: dict[int, int], readers: dict[int, list[int]], budget: Budget
) -> tuple[int, ...] | Conflict:
    """The view of a process that keeps program order, or causal order if its level says so."""
    needed = events.count * len(events.threads) * _BYTES_OF_A_NUMBER
    if needed > (budget.memory or _BYTES_FOR_CLOCKS):
        raise BudgetExceeded(f"vector clocks would take {needed // 1_000_000} MB", "raise --memory")
    return _ProcessView(events, instance, sources, readers, budget).run()


class _ProcessView:
    """One view. `clock[e][t]` counts the events of chain t that are e or must precede it; chains hold the
    events of a thread that the order is about, and `place` counts from 1 along them."""

    def __init__(
        self,
        events: Events,
        instance: Instance,
        sources: dict[int, int],
        readers: dict[int, list[int]],
        budget: Budget,
    ) -> None:
        assert instance.thread is not None
        self.events, self.instance, self.sources, self.readers = events, instance, sources, readers
        self.budget, self.thread = budget, instance.thread
        passing = "causal" in instance.view.orders
        self.chains = [
            list(thread) if passing or number == self.thread else [e for e in thread if events.is_write[e]]
            for number, thread in enumerate(events.threads)
        ]
        self.place = [0] * events.count
        self.writes: list[list[tuple[int, list[int], list[int]]]] = [[] for _ in events.locations]
        for number, chain in enumerate(self.chains):
            self._index(number, chain)
        self.clock: list[list[int] | None] = [None] * events.count
        self.into: dict[int, list[int]] = {}
        self.out: dict[int, list[int]] = {}
        self.reason: dict[tuple[int, int], tuple[int, int]] = {}  # a derived edge -> its read and number
        self.waiting: deque[int] = deque()

    def _index(self, number: int, chain: list[int]) -> None:
        events = self.events
        found: dict[int, tuple[list[int], list[int]]] = {}
        for place, event in enumerate(chain, 1):
            self.place[event] = place
            if events.is_write[event]:
                places, writes = found.setdefault(events.location_of[event], ([], []))
                places.append(place)
                writes.append(event)
        for location, (places, writes) in found.items():
            self.writes[location].append((number, places, writes))

    def run(self) -> tuple[int, ...] | Conflict:
        """The order of the view's events, or the events of a contradiction."""
        for number, event in enumerate(self.chains[self.thread]):
            if not number % _EVENTS_BETWEEN_CHECKS:
                self.budget.check()
            self._enter(event)
            if not self.events.is_write[event]:
                self.waiting.append(event)
            while self.waiting:
                wrong = self._rule(self.waiting.popleft())
                if wrong is not None:
                    return wrong
        return tuple(self._order())

    # -- clocks ----------------------------------------------------------------------------------

    def _enter(self, event: int) -> None:
        """Give an event its clock, after all that precede it without any rule."""
        events, clock = self.events, self.clock
        stack = [event]
        while stack:
            event = stack[-1]
            if clock[event] is not None:
                stack.pop()
                continue
            thread, place = events.thread_of[event], self.place[event]
            before = None
            if place > 1:
                previous = self.chains[thread][place - 2]
                before = clock[previous]
                if before is None:
                    stack.append(previous)
                    continue
            source = None
            if not events.is_write[event] and not events.is_initial(self.sources[event]):
                source = clock[self.sources[event]]
                if source is None:
                    stack.append(self.sources[event])
                    continue
            new = [0] * len(self.chains) if before is None else before.copy()
            new[thread] = place
            if source is not None:
                _merge(new, source)
            clock[event] = new
            stack.pop()

    def _rule(self, read: int) -> Conflict | None:
        """Other writes to the location that precede the read precede its source."""
        events, clock, source = self.events, self.clock, self.sources[read]
        seen = clock[read]
        assert seen is not None
        for thread, places, writes in self.writes[events.location_of[read]]:
            at = bisect_right(places, seen[thread]) - 1
            if at < 0 or writes[at] == source:
                continue
            other = writes[at]
            if events.is_initial(source):
                return self._conflict([(other, read)], read)
            own, its = clock[source], clock[other]
            assert own is not None
            assert its is not None
            home = events.thread_of[source]
            if its[home] >= self.place[source]:
                return self._conflict([(other, read), (source, other)], read)
            if own[thread] < places[at]:
                self.reason[other, source] = (read, len(self.reason))
                self.into.setdefault(source, []).append(other)
                self.out.setdefault(other, []).append(source)
                _merge(own, its)
                self._carry(source)
        return None

    def _carry(self, event: int) -> None:
        """Carry a clock that has grown to the events behind it that have clocks already."""
        clock, events = self.clock, self.events
        grown = [event]
        while grown:
            event = grown.pop()
            own = clock[event]
            assert own is not None
            for following in self._following(event):
                other = clock[following]
                if other is not None and _merge(other, own):
                    grown.append(following)
                    if not events.is_write[following] and events.thread_of[following] == self.thread:
                        self.waiting.append(following)

    def _following(self, event: int) -> Iterator[int]:
        chain = self.chains[self.events.thread_of[event]]
        if self.place[event] < len(chain):
            yield chain[self.place[event]]
        yield from self.out.get(event, ())
        yield from (read for read in self.readers.get(event, ()) if self.place[read])

    def _preceding(self, event: int) -> Iterator[int]:
        if self.place[event] > 1:
            yield self.chains[self.events.thread_of[event]][self.place[event] - 2]
        if not self.events.is_write[event] and not self.events.is_initial(self.sources[event]):
            yield self.sources[event]
        yield from self.into.get(event, ())

    # -- results ---------------------------------------------------------------------------------

    def _order(self) -> Iterator[int]:
        """The process's own events, each behind all that must precede it, then what is left."""
        done = [False] * self.events.count
        own = self.chains[self.thread]
        for chain in (own, *(chain for chain in self.chains if chain is not own)):
            for last in chain:
                stack = [last]
                while stack:
                    event = stack[-1]
                    missing = () if done[event] else [e for e in self._preceding(event) if not done[e]]
                    if missing:
                        stack += missing
                        continue
                    stack.pop()
                    if not done[event]:
                        done[event] = True
                        if self.events.is_write[event] or self.events.thread_of[event] == self.thread:
                            yield event

    def _conflict(self, paths: list[tuple[int, int]], read: int) -> Conflict:
        """All that the orders of a contradiction rest on: paths, and the paths behind their derived edges."""
        used = {read, self.sources[read]}
        later = len(self.reason)
        todo = [(start, goal, later) for start, goal in paths]
        done: set[tuple[int, int]] = set()
        while todo:
            start, goal, number = todo.pop()
            path = self._path(start, goal, number)
            used |= {start, goal, *_ends_of_steps(self.events, path)}
            for edge in pairwise(path):
                if edge in self.reason and edge not in done:
                    done.add(edge)
                    because, its_number = self.reason[edge]
                    used |= {*edge, because}
                    todo.append((edge[0], because, its_number))
        return conflict_of(self.events, used)

    def _path(self, start: int, goal: int, number: int) -> list[int]:
        """A path of orders that were known before a derived one with this number."""

        def earlier(event: int) -> Iterator[int]:
            for before in self._preceding(event):
                known = self.reason.get((before, event))
                if known is None or known[1] < number:
                    yield before

        found = shortest_path(goal, start, self.events.count, earlier)
        assert found is not None
        return found[::-1]


def _merge(clock: list[int], other: list[int]) -> bool:
    """Raise a clock to the other where that is higher; whether it was anywhere."""
    changed = False
    for thread, count in enumerate(other):
        if count > clock[thread]:
            clock[thread] = count
            changed = True
    return changed
