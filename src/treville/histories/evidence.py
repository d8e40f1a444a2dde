"""Executions as evidence: from a solver's choices, from a schedule, or from one order of everything."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from treville.histories.history import Events
from treville.histories.levels import Level
from treville.histories.problem import Problem, ViewGraph
from treville.histories.saturation import Facts
from treville.histories.views import Execution, instances


def from_choices(
    problem: Problem, facts: Facts, sources: dict[int, int], orders: set[tuple[int, int, int]]
) -> Execution:
    """The views that a solver's sources and write orders allow: a topological order of all graphs."""
    starts, total = [], 0
    for view in problem.views:
        starts.append(total)
        total += view.nodes
    targets = _edges(problem, facts, sources, orders, starts, total)
    place = {node: i for i, node in enumerate(_topological(targets, total))}
    chosen = []
    absent = problem.events.optional - set(sources.values())
    for start, view in zip(starts, problem.views, strict=True):
        there = sorted((place[start + view.node[e]], e) for e in view.instance.events if e not in absent)
        chosen.append((view.instance, tuple(event for _, event in there)))
    return Execution(dict(sources), tuple(chosen))


def _edges(
    problem: Problem,
    facts: Facts,
    sources: dict[int, int],
    orders: set[tuple[int, int, int]],
    starts: list[int],
    total: int,
) -> list[list[int]]:
    happened = set(sources.values())
    targets: list[list[int]] = [[] for _ in range(total)]

    def add(index: int, before: int, after: int) -> None:
        targets[starts[index] + before].append(starts[index] + after)

    for index, view in enumerate(problem.views):
        for before, after in (*view.fixed, *facts.derived[index]):
            add(index, before, after)
        for before, after, conditions in view.conditional:
            if all(write in happened for _, write in conditions):
                add(index, before, after)
    for read, write in sources.items():
        for index, before, after, conditions in problem.source_edges(write, read):
            if all(w in happened for _, w in conditions):
                add(index, before, after)
    for index, before, after in _group_edges(problem, sources, orders):
        add(index, before, after)
    for first, before, second, after in problem.issue:
        targets[starts[first] + before].append(starts[second] + after)
    return targets


def _group_edges(
    problem: Problem, sources: dict[int, int], orders: set[tuple[int, int, int]]
) -> Iterator[tuple[int, int, int]]:
    happened = set(sources.values())
    readers: dict[int, list[int]] = {}
    for read, write in sources.items():
        readers.setdefault(write, []).append(read)
    for number, before, after in orders:
        group = problem.groups[number]
        if before in problem.events.optional and before not in happened:
            continue
        yield from problem.order_edges(group, before, after)
        members = set(group.reads)
        for read in readers.get(before, ()):
            if read in members:
                yield from problem.from_read_edges(group, read, after)
    for group in problem.groups:
        for read in group.reads:
            if problem.events.is_initial(sources[read]):
                for write in group.writes:
                    yield from problem.from_read_edges(group, read, write)


def _topological(targets: list[list[int]], total: int) -> list[int]:
    indegree = [0] * total
    for found in targets:
        for target in found:
            indegree[target] += 1
    ready = [node for node in range(total) if not indegree[node]]
    for node in ready:
        for target in targets[node]:
            indegree[target] -= 1
            if not indegree[target]:
                ready.append(target)
    if len(ready) < total:
        raise AssertionError("a solver's choice has a cycle")
    return ready


def from_one_order(level: Level, events: Events, order: Sequence[int], sources: dict[int, int]) -> Execution:
    """The views of any level that a sequentially consistent order of all events gives."""
    place = {event: i for i, event in enumerate(order)}
    chosen = []
    for instance in instances(level, events):
        there = sorted((e for e in instance.events if e in place), key=place.__getitem__)
        chosen.append((instance, tuple(there)))
    return Execution(dict(sources), tuple(chosen))


def schedule(problem: Problem, facts: Facts) -> Execution | None:
    """Try to place the events of each view one by one, never overwriting a value that is still to be read.

    Needs certain sources and views that do not depend on each other. None means that this greedy attempt
    got stuck, not that there is no execution.
    """
    sources = {read: found[0] for read, found in facts.candidates.items()}
    chosen = []
    for view, derived in zip(problem.views, facts.derived, strict=True):
        order = _Scheduler(problem, view, derived, sources).run()
        if order is None:
            return None
        chosen.append((view.instance, order))
    return Execution(sources, tuple(chosen))


class _Scheduler:
    """List scheduling of one view's graph; reads first, then writes in log order."""

    def __init__(
        self, problem: Problem, view: ViewGraph, derived: list[tuple[int, int]], sources: dict[int, int]
    ) -> None:
        self.events, self.view, self.sources = problem.events, view, sources
        self.targets: list[list[int]] = [[] for _ in range(view.nodes)]
        self.indegree = [0] * view.nodes
        happened = set(sources.values())
        certain = [(u, v) for u, v, c in view.conditional if all(w in happened for _, w in c)]
        for before, after in {*view.fixed, *derived, *certain}:
            self.targets[before].append(after)
            self.indegree[after] += 1
        members = set(view.instance.events)
        self.event_at = {node: event for event, node in view.node.items() if event in members}
        self.pending: dict[int, int] = {}
        for event in view.instance.events:
            if not self.events.is_write[event]:
                self.pending[sources[event]] = self.pending.get(sources[event], 0) + 1
        self.current = {x: self.events.initial(x) for x in range(len(self.events.locations))}
        self.parked: dict[int, list[int]] = {}
        self.ready: list[tuple[int, int]] = []

    def run(self) -> tuple[int, ...] | None:
        order: list[int] = []
        for node, degree in enumerate(self.indegree):
            if not degree:
                self._release(node)
        placed = 0
        while self.ready:
            _, node = heapq.heappop(self.ready)
            if not self._place(node, order):
                continue
            placed += 1
            for target in self.targets[node]:
                self.indegree[target] -= 1
                if not self.indegree[target]:
                    self._release(target)
        return tuple(order) if placed == len(self.indegree) else None

    def _release(self, node: int) -> None:
        event = self.event_at.get(node)
        # Relays and reads never hurt; among writes those that are read come in log order.
        rank = -1 if event is None or not self.events.is_write[event] else event
        heapq.heappush(self.ready, (rank, node))

    def _place(self, node: int, order: list[int]) -> bool:
        """Put the node next if that is allowed now; otherwise park it until its location is free."""
        event = self.event_at.get(node)
        if event is None:
            return True
        location = self.events.location_of[event]
        if self.events.is_write[event]:
            if self.pending.get(self.current[location], 0):
                self.parked.setdefault(location, []).append(node)
                return False
            self.current[location] = event
            if event in self.events.optional and event not in self.sources.values():
                return True
        else:
            self._read(event, location)
        order.append(event)
        return True

    def _read(self, event: int, location: int) -> None:
        source = self.sources[event]
        self.pending[source] -= 1
        if not self.pending[source] and self.current[location] == source:
            for node in self.parked.pop(location, []):
                self._release(node)
