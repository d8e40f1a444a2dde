"""Executions as evidence: from a solver's choices, from a schedule, or from one order of everything."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from treville.histories.history import Events
from treville.histories.levels import Level
from treville.histories.problem import Problem
from treville.histories.saturation import Facts
from treville.histories.view_graphs import ViewGraph
from treville.histories.views import Execution, instances
from treville.relations.graphs import topological
from treville.results import Budget

_WRITES_TO_COMPARE = 16
_REPAIRS = 40


def from_choices(
    problem: Problem, facts: Facts, sources: dict[int, int], orders: set[tuple[int, int, int]]
) -> Execution:
    """The views that a solver's sources and write orders allow: a topological order of all graphs."""
    starts, total = [], 0
    for view in problem.views:
        starts.append(total)
        total += view.nodes
    targets = _edges(problem, facts, sources, orders, starts, total)
    place = {node: i for i, node in enumerate(topological(targets))}
    if len(place) < total:
        raise AssertionError("a solver's choice has a cycle")
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


def from_one_order(level: Level, events: Events, order: Sequence[int], sources: dict[int, int]) -> Execution:
    """The views of any level that a sequentially consistent order of all events gives."""
    place = {event: i for i, event in enumerate(order)}
    chosen = []
    for instance in instances(level, events):
        there = sorted((e for e in instance.events if e in place), key=place.__getitem__)
        chosen.append((instance, tuple(there)))
    return Execution(dict(sources), tuple(chosen))


def schedule(problem: Problem, facts: Facts, budget: Budget) -> Execution | None:
    """Try to place the events of each view one by one, never overwriting a value that is still to be read.

    Needs certain sources and views that need not agree on write orders. None means that this greedy
    attempt got stuck, not that there is no execution.
    """
    sources = {read: found[0] for read, found in facts.candidates.items()}
    readers: dict[int, list[int]] = {}
    for read, write in sources.items():
        readers.setdefault(write, []).append(read)
    together = [range(len(problem.views))] if problem.issue else [[i] for i in range(len(problem.views))]
    orders: dict[int, tuple[int, ...]] = {}
    for indices in together:
        found = _schedule_views(problem, facts, sources, readers, list(indices), budget)
        if found is None:
            return None
        orders |= found
    chosen = tuple((view.instance, orders[i]) for i, view in enumerate(problem.views))
    return Execution(sources, chosen)


def _schedule_views(
    problem: Problem,
    facts: Facts,
    sources: dict[int, int],
    readers: dict[int, list[int]],
    indices: list[int],
    budget: Budget,
) -> dict[int, tuple[int, ...]] | None:
    """Schedule some views; when stuck, turn around the choice that blocked and try again."""
    extra: list[tuple[int, int, int]] = []
    for _ in range(_REPAIRS):
        budget.check()
        scheduler = _Scheduler(problem, facts, sources, indices, extra)
        found = scheduler.run()
        if found is not None:
            return found
        blocked = scheduler.blocked()
        if blocked is None:
            return None
        index, earlier, later = blocked
        view = problem.views[index]
        first = [earlier, *(r for r in readers.get(earlier, ()) if problem.serial_in(view, r))]
        extra += [(index, view.node[event], view.node[later]) for event in first]
    return None


class _Scheduler:
    """List scheduling of the graphs of some views.

    Reads are placed as soon as they can be. Among the writes that can be placed, one is taken whose readers
    wait for the fewest other nodes: with none, all its readers follow at once, and it cannot hurt.
    """

    def __init__(
        self,
        problem: Problem,
        facts: Facts,
        sources: dict[int, int],
        indices: list[int],
        extra: list[tuple[int, int, int]],
    ) -> None:
        self.events, self.facts, self.indices = problem.events, facts, indices
        self.sources, self.views = sources, problem.views
        self.absent = problem.events.optional - set(sources.values())
        self.targets: list[list[int]] = []
        self.place_of: list[tuple[int, int, int]] = []  # view, its local node, event or -1
        starts: dict[int, int] = {}
        for index in indices:
            starts[index] = len(self.targets)
            self._add_view(index, problem.views[index], facts.derived[index])
        for first, before, second, after in problem.issue:
            self.targets[starts[first] + before].append(starts[second] + after)
        for index, before, after in extra:
            self.targets[starts[index] + before].append(starts[index] + after)
        self.indegree = [0] * len(self.targets)
        for found in self.targets:
            for target in found:
                self.indegree[target] += 1
        self.waiting: dict[tuple[int, int], int] = {}
        self.pending: dict[tuple[int, int], int] = {}
        self._collect_readers()
        self.placed = dict.fromkeys(indices, 0)
        self.current: dict[tuple[int, int], int] = {}
        self.when: dict[tuple[int, int], int] = {}
        self.parked: dict[tuple[int, int], list[int]] = {}
        self.free: list[int] = []
        self.writes: list[tuple[int, int]] = []

    def _add_view(self, index: int, view: ViewGraph, derived: list[tuple[int, int]]) -> None:
        start = len(self.targets)
        self.targets += [[] for _ in range(view.nodes)]
        members = {view.node[event]: event for event in view.instance.events}
        self.place_of += [(index, node, members.get(node, -1)) for node in range(view.nodes)]
        certain = [(u, v) for u, v, c in view.conditional if all(w not in self.absent for _, w in c)]
        for before, after in {*view.fixed, *derived, *certain}:
            self.targets[start + before].append(start + after)

    def _collect_readers(self) -> None:
        """For each view and write: how many reads are to come, and which nodes must precede them."""
        for index in self.indices:
            view, ancestors = self.views[index], self.facts.ancestors[index]
            for event in view.instance.events:
                if not self.events.is_write[event]:
                    key = (index, self.sources[event])
                    self.pending[key] = self.pending.get(key, 0) + 1
                    self.waiting[key] = self.waiting.get(key, 0) | ancestors[view.node[event]]

    def run(self) -> dict[int, tuple[int, ...]] | None:
        """The order of each view, or None when stuck."""
        orders: dict[int, list[int]] = {index: [] for index in self.indices}
        for node, degree in enumerate(self.indegree):
            if not degree:
                self._release(node)
        count = 0
        while self.free or self.writes:
            node = self.free.pop() if self.free else self._best_write()
            if node < 0:
                break
            self._place(node, orders)
            count += 1
            for target in self.targets[node]:
                self.indegree[target] -= 1
                if not self.indegree[target]:
                    self._release(target)
        if count < len(self.targets):
            return None
        return {index: tuple(order) for index, order in orders.items()}

    def blocked(self) -> tuple[int, int, int] | None:
        """View, a write that has to wait, and the write whose readers it waits for: the last one placed."""
        waits = [
            (self.when[index, self.current[index, location]], index, location)
            for (index, location), nodes in self.parked.items()
            if nodes and (index, location) in self.current
        ]
        if not waits:
            return None
        _, index, location = max(waits)
        return index, self.place_of[self.parked[index, location][0]][2], self.current[index, location]

    def _release(self, node: int) -> None:
        index, local, event = self.place_of[node]
        if event < 0 or not self.events.is_write[event] or event in self.absent:
            self.free.append(node)
        else:
            # What many nodes must follow happened early: a good guess of when a write took place.
            heapq.heappush(self.writes, (-self.facts.closures[index][local].bit_count(), node))

    def _best_write(self) -> int:
        """Of the writes that overwrite nothing that is still to be read, one with few obstacles; or -1."""
        looked_at: list[tuple[int, int, int]] = []
        while self.writes and len(looked_at) < _WRITES_TO_COMPARE:
            rank, node = heapq.heappop(self.writes)
            index, local, event = self.place_of[node]
            location = self.events.location_of[event]
            seen = self.current.get((index, location), self.events.initial(location))
            if self.pending.get((index, seen), 0):
                self.parked.setdefault((index, location), []).append(node)
                continue
            obstacles = self.waiting.get((index, event), 0) & ~self.placed[index]
            looked_at.append(((obstacles & ~self.facts.closures[index][local]).bit_count(), rank, node))
            if looked_at[-1][0] <= 1:
                break  # nothing but the write itself
        if not looked_at:
            return -1
        best = min(looked_at)
        for item in looked_at:
            if item is not best:
                heapq.heappush(self.writes, item[1:])
        return best[2]

    def _place(self, node: int, orders: dict[int, list[int]]) -> None:
        index, local, event = self.place_of[node]
        self.placed[index] |= 1 << local
        if event < 0 or event in self.absent:
            return
        location = self.events.location_of[event]
        if self.events.is_write[event]:
            self.current[index, location] = event
            self.when[index, event] = len(self.when)
        else:
            self._read(index, event, location)
        orders[index].append(event)

    def _read(self, index: int, event: int, location: int) -> None:
        source = self.sources[event]
        self.pending[index, source] -= 1
        seen = self.current.get((index, location), self.events.initial(location))
        if not self.pending[index, source] and seen == source:
            for node in self.parked.pop((index, location), []):
                self._release(node)
