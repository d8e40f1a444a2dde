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

    Needs certain sources and views that need not agree on write orders. None means that this greedy
    attempt got stuck, not that there is no execution.
    """
    sources = {read: found[0] for read, found in facts.candidates.items()}
    together = [range(len(problem.views))] if problem.issue else [[i] for i in range(len(problem.views))]
    orders: dict[int, tuple[int, ...]] = {}
    for indices in together:
        found = _Scheduler(problem, facts, sources, list(indices)).run()
        if found is None:
            return None
        orders |= found
    chosen = tuple((view.instance, orders[i]) for i, view in enumerate(problem.views))
    return Execution(sources, chosen)


class _Scheduler:
    """List scheduling of the graphs of some views; reads first, then writes in log order."""

    def __init__(self, problem: Problem, facts: Facts, sources: dict[int, int], indices: list[int]) -> None:
        self.events, self.sources, self.indices = problem.events, sources, indices
        self.absent = problem.events.optional - set(sources.values())
        self.targets: list[list[int]] = []
        self.place_of: list[tuple[int, int] | None] = []
        starts: dict[int, int] = {}
        for index in indices:
            starts[index] = len(self.targets)
            self._add_view(index, problem.views[index], facts.derived[index])
        for first, before, second, after in problem.issue:
            self.targets[starts[first] + before].append(starts[second] + after)
        self.indegree = [0] * len(self.targets)
        for found in self.targets:
            for target in found:
                self.indegree[target] += 1
        self.pending: dict[tuple[int, int], int] = {}
        for index in indices:
            for event in problem.views[index].instance.events:
                if not self.events.is_write[event]:
                    key = (index, sources[event])
                    self.pending[key] = self.pending.get(key, 0) + 1
        self.current: dict[tuple[int, int], int] = {}
        self.parked: dict[tuple[int, int], list[int]] = {}
        self.ready: list[tuple[int, int]] = []

    def _add_view(self, index: int, view: ViewGraph, derived: list[tuple[int, int]]) -> None:
        start = len(self.targets)
        self.targets += [[] for _ in range(view.nodes)]
        self.place_of += [None] * view.nodes
        certain = [(u, v) for u, v, c in view.conditional if all(w not in self.absent for _, w in c)]
        for before, after in {*view.fixed, *derived, *certain}:
            self.targets[start + before].append(start + after)
        for event in view.instance.events:
            self.place_of[start + view.node[event]] = (index, event)

    def run(self) -> dict[int, tuple[int, ...]] | None:
        orders: dict[int, list[int]] = {index: [] for index in self.indices}
        for node, degree in enumerate(self.indegree):
            if not degree:
                self._release(node)
        placed = 0
        while self.ready:
            _, node = heapq.heappop(self.ready)
            if not self._place(node, orders):
                continue
            placed += 1
            for target in self.targets[node]:
                self.indegree[target] -= 1
                if not self.indegree[target]:
                    self._release(target)
        if placed < len(self.indegree):
            return None
        return {index: tuple(order) for index, order in orders.items()}

    def _release(self, node: int) -> None:
        place = self.place_of[node]
        # Relays and reads never hurt; writes come in log order.
        rank = -1 if place is None or not self.events.is_write[place[1]] else place[1]
        heapq.heappush(self.ready, (rank, node))

    def _place(self, node: int, orders: dict[int, list[int]]) -> bool:
        """Put the node next if that is allowed now; otherwise park it until its location is free."""
        place = self.place_of[node]
        if place is None:
            return True
        index, event = place
        if event in self.absent:
            return True
        location = self.events.location_of[event]
        if self.events.is_write[event]:
            seen = self.current.get((index, location), self.events.initial(location))
            if self.pending.get((index, seen), 0):
                self.parked.setdefault((index, location), []).append(node)
                return False
            self.current[index, location] = event
        else:
            self._read(index, event, location)
        orders[index].append(event)
        return True

    def _read(self, index: int, event: int, location: int) -> None:
        source = self.sources[event]
        self.pending[index, source] -= 1
        seen = self.current.get((index, location), self.events.initial(location))
        if not self.pending[index, source] and seen == source:
            for node in self.parked.pop((index, location), []):
                self._release(node)
