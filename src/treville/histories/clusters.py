"""Levels that look at one key at a time, for histories in which the source of every read is certain.

A write and the reads of its value are a *cluster*: in a serial view of one key they stand together, the write
first. So a view of the key exists exactly when the clusters can be ordered, which takes time that is linear
in the events (P. Gibbons and E. Korach: Testing shared memories, SIAM J. Comput. 26, 1997). Program order
between clusters is a graph. Real time is not written down as a graph: a cluster's *zone* lies between the
first end and the last start of its operations, and two clusters must precede each other exactly when both are
*forward* (first end before last start) and overlap, or one is and has the other inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from treville.histories.graph import short_cycle
from treville.histories.history import Events
from treville.histories.levels import Level
from treville.histories.saturation import Conflict
from treville.histories.views import Execution, Instance, instances
from treville.records import dataclass, field
from treville.relations.graphs import topological
from treville.results import Budget

_STARTS_OF_CYCLES = 50


def certain_sources(events: Events) -> dict[int, int] | None:
    """The source of every read, where there is one possible source each and nothing else is open."""
    if events.optional or any(len(found) != 1 for found in events.candidates.values()):
        return None
    return {read: found[0] for read, found in events.candidates.items()}


def conflict_of(events: Events, used: Iterable[int]) -> Conflict:
    """The contradiction that these events (and the sources of the reads among them) have in themselves."""
    return Conflict(None, frozenset(event for event in used if not events.is_initial(event)))


# -- program order: cache consistency and slow memory ----------------------------------------------------


def view_of_key(events: Events, instance: Instance, sources: dict[int, int]) -> tuple[int, ...] | Conflict:
    """The view of one key that keeps program order (CC, SLOW), or the events of a cycle of clusters."""
    number: dict[int, int] = {}
    members: list[list[int]] = []
    cluster: list[int] = []
    for event in instance.events:
        write = event if events.is_write[event] else sources[event]
        at = number.get(write)
        if at is None:
            at = number[write] = len(members)
            members.append([] if events.is_initial(write) else [write])
        if write != event:
            members[at].append(event)
        cluster.append(at)
    steps = list(_steps(events, instance.events, cluster))
    targets: list[list[int]] = [[] for _ in members]
    for before, after, _, _ in steps:
        targets[before].append(after)
    assert instance.location is not None
    initial = number.get(events.initial(instance.location))
    if initial is not None:
        entering = next((step for step in steps if step[1] == initial), None)
        if entering is not None:
            _, _, earlier, read = entering
            return conflict_of(events, (earlier, sources.get(earlier, earlier), read))
        targets[initial] = [other for other in range(len(members)) if other != initial]
    order = topological(targets)
    if len(order) < len(members):
        return conflict_of(events, _cycle(targets, steps, sources))
    index = events.index_in_thread
    for found in members:  # the write first, then the reads, each thread's in its order
        found.sort(key=lambda e: (not events.is_write[e], index[e]))
    return tuple(event for at in order for event in members[at])


def _steps(
    events: Events, members: Sequence[int], cluster: Sequence[int]
) -> Iterator[tuple[int, int, int, int]]:
    """Two clusters, and an event of each that stand one after the other in a thread."""
    by_thread: dict[int, list[tuple[int, int, int]]] = {}
    for event, at in zip(members, cluster, strict=True):
        by_thread.setdefault(events.thread_of[event], []).append((events.index_in_thread[event], event, at))
    for found in by_thread.values():
        found.sort()
        for (_, earlier, before), (_, later, after) in pairwise(found):
            if before != after:
                yield before, after, earlier, later


def _cycle(
    targets: list[list[int]],
    steps: list[tuple[int, int, int, int]],
    sources: dict[int, int],
) -> set[int]:
    """The events that the edges of a short cycle come from, with their sources."""
    pair = {(before, after): (earlier, later) for before, after, earlier, later in steps}
    found = short_cycle(targets, _STARTS_OF_CYCLES)
    used = {event for edge in zip(found, found[1:] + found[:1], strict=True) for event in pair[edge]}
    return used | {sources.get(event, event) for event in used}


# -- real time: linearizability --------------------------------------------------------------------------


def linearised(
    level: Level, events: Events, sources: dict[int, int], budget: Budget
) -> Execution | Conflict | None:
    """One order of all events that keeps real time and program order, found key by key.

    A process that starts an operation no earlier than its last one ended makes program order part of real
    time, and then keys can be looked at one by one (Herlihy and Wing 1990, theorem 1). Where operations of
    a process touch or overlap, ends are moved before the next start: an order of that is one of the history.
    If there is none, and none of the times as they were either, there is none at all; otherwise None.
    """
    (instance,) = instances(level, events)
    zones = _Zones.of(events, sources)
    moved = zones.shortened()
    for attempt in (moved, zones) if moved is not zones else (zones,):
        if attempt is None:
            continue
        found = attempt.order(budget)
        if isinstance(found, Conflict):
            if attempt is zones:
                return found
        elif attempt is not zones or moved is zones:
            return Execution(sources, ((instance, tuple(found)),))
    return None


@dataclass
class _Zones:
    """The times of all events, and of each cluster (named by its write) the first end and the last start."""

    events: Events
    sources: dict[int, int]
    starts: list[float]
    ends: list[float]
    first_end: list[float] = field(default_factory=list)
    last_start: list[float] = field(default_factory=list)

    @staticmethod
    def of(events: Events, sources: dict[int, int]) -> _Zones:
        """The times as they were logged; what never returned has no end."""
        starts, ends = [], []
        for position in events.position:
            operation = events.history.operations[position]
            starts.append(operation.start or 0.0)
            ends.append(math.inf if operation.end is None else operation.end)
        return _Zones(events, sources, starts, ends)

    def shortened(self) -> _Zones | None:
        """The same with program order as a part of real time; None where a start would be after its end."""
        starts, ends, changed = self.starts, list(self.ends), False
        for thread in self.events.threads:
            for earlier, later in pairwise(thread):
                if ends[earlier] >= starts[later]:
                    ends[earlier] = math.nextafter(starts[later], -math.inf)
                    changed = True
                    if ends[earlier] < starts[earlier]:
                        return None
        return _Zones(self.events, self.sources, starts, ends) if changed else self

    def order(self, budget: Budget) -> list[int] | Conflict:
        """All events in an order that keeps real time, or two clusters that must precede each other."""
        events = self.events
        wrong = self._measure()
        if wrong is not None:
            return wrong
        readers: dict[int, list[int]] = {}
        for read, write in self.sources.items():
            readers.setdefault(write, []).append(read)
        point = [0.0] * events.count
        found: list[int] = []
        for location, writes in enumerate(events.writes_to):
            budget.check()
            initial = events.initial(location)
            clusters = [initial, *writes] if initial in readers else list(writes)
            clusters.sort(key=self._rank)
            wrong = self._overlap(clusters, readers)
            if wrong is not None:
                return wrong
            now = -math.inf
            for write in clusters:
                members = readers.get(write, [])
                members.sort(key=self.starts.__getitem__)
                if write != initial:
                    members.insert(0, write)
                for event in members:
                    # Whatever stands before an event started before it ended, so this is within its times.
                    now = point[event] = max(now, self.starts[event])
                    found.append(event)
        found.sort(key=point.__getitem__)
        return found

    def _measure(self) -> Conflict | None:
        """Fill in the zones; a read that ended before its source started is a conflict."""
        events, starts, ends = self.events, self.starts, self.ends
        self.first_end = [*ends, *(-math.inf for _ in events.locations)]
        self.last_start = [*starts, *(-math.inf for _ in events.locations)]
        first_end, last_start = self.first_end, self.last_start
        for read, write in self.sources.items():
            if write < events.count and ends[read] < starts[write]:
                return conflict_of(events, (read, write))
            if ends[read] < first_end[write]:
                first_end[write] = ends[read]
            if starts[read] > last_start[write]:
                last_start[write] = starts[read]
        return None

    def _rank(self, write: int) -> tuple[float, bool]:
        """Zones by their lower ends, forward ones behind others: the order of clusters, if there is one."""
        end, start = self.first_end[write], self.last_start[write]
        return (end, True) if end < start else (start, False)

    def _overlap(self, clusters: list[int], readers: dict[int, list[int]]) -> Conflict | None:
        """A forward zone and another that overlaps it (forward) or lies inside it (not forward)."""
        first_end, last_start = self.first_end, self.last_start
        reach, latest = -math.inf, -1
        for write in clusters:
            if first_end[write] < reach:
                used = (*self._ends_of(latest, readers), *self._ends_of(write, readers))
                return conflict_of(self.events, used)
            if first_end[write] < last_start[write]:
                reach, latest = last_start[write], write
        return None

    def _ends_of(self, write: int, readers: dict[int, list[int]]) -> Iterator[int]:
        """The write of a cluster, the operation that ended first and the one that started last."""
        yield write
        members = [*readers.get(write, ()), *([] if self.events.is_initial(write) else [write])]
        yield min(members, key=self.ends.__getitem__)
        yield max(members, key=self.starts.__getitem__)
