"""A level and a history as graphs that must be acyclic together: the common input of all solvers.

Each view becomes a graph over its events (paper 004, section 3.5, with acyclicity in place of explicit
total orders; `view_graphs`): a view exists exactly when the sources of its reads and the order of the writes
of each location can be chosen so that its graph has no cycle. That read r takes its value from write w adds
`source_edges`.

The order of the writes of a location belongs to a `Group`: to one view, or to all views of a level whose
views agree. Within a group, "w before v" puts w and all reads of w before v in the group's views.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from treville.histories.history import Events
from treville.histories.levels import Level
from treville.histories.view_graphs import Condition, ViewGraph, source_edges_in, view_graph
from treville.histories.views import instances
from treville.records import dataclass, field


@dataclass
class Group:
    """Who shares one order of the writes of a location: the views, the writes, the reads that see it."""

    location: int
    views: list[int]
    writes: tuple[int, ...]
    reads: list[int]


@dataclass
class Problem:
    """All views of a level on a history. `issue` links nodes of different views (PRAM-M)."""

    level: Level
    events: Events
    views: list[ViewGraph]
    groups: list[Group]
    issue: list[tuple[int, int, int, int]]
    exclusions: list[tuple[int, int, int]]
    serial_views: dict[int, list[int]] = field(default_factory=dict)

    @property
    def linked(self) -> bool:
        """Whether the views depend on each other beyond the reads-from relation."""
        return self.level.agree or bool(self.issue)

    def touched_views(self, read: int) -> Iterable[int]:
        """The views in which the source of the read makes a difference."""
        passing = {"causal", "semi-causal", "anti", "write-read-write"}
        if any(passing & set(view.orders) for view in self.level.views):
            return range(len(self.views))
        return self.serial_views[read]

    def source_edges(self, write: int, read: int) -> Iterator[tuple[int, int, int, tuple[Condition, ...]]]:
        """View, edge and further conditions that hold once `read` takes its value from `write`."""
        events = self.events
        if events.is_initial(write):
            return
        for index in self.touched_views(read):
            for before, after, conditions in source_edges_in(self.views[index], events, write, read):
                yield index, before, after, conditions

    def order_edges(self, group: Group, before: int, after: int) -> Iterator[tuple[int, int, int]]:
        """View and edge for "write `before` precedes write `after`" in every view of the group."""
        for index in group.views:
            node = self.views[index].node
            yield index, node[before], node[after]

    def from_read_edges(self, group: Group, read: int, write: int) -> Iterator[tuple[int, int, int]]:
        """View and edge for "`read` precedes `write`, which overwrites its source"."""
        for index in group.views:
            view = self.views[index]
            if read in view.anti_node:
                yield index, view.anti_node[read], view.node[write]
            elif write in view.receive_node:
                yield index, view.node[read], view.receive_node[write]
            if self.serial_in(view, read):
                yield index, view.node[read], view.node[write]

    def serial_in(self, view: ViewGraph, read: int) -> bool:
        """Whether the read belongs to the view itself (and is not only passed through)."""
        thread = view.instance.thread
        if thread is not None and thread != self.events.thread_of[read]:
            return False
        location = view.instance.location
        return location is None or location == self.events.location_of[read]


def build_problem(level: Level, events: Events) -> Problem:
    """The graphs of the level on these events. Linear in the events for each view."""
    views = [view_graph(instance, events) for instance in instances(level, events)]
    problem = Problem(level, events, views, [], _issue_edges(views, events), [])
    problem.serial_views = _serial_views(views, events)
    problem.groups.extend(_groups(problem))
    if any(view.instance.view.forwarding for view in views):
        problem.exclusions.extend(_exclusions(events))
    return problem


def _serial_views(views: list[ViewGraph], events: Events) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {read: [] for read in events.reads}
    for index, view in enumerate(views):
        for event in view.instance.events:
            if not events.is_write[event]:
                found[event].append(index)
    return found


def _issue_edges(views: list[ViewGraph], events: Events) -> list[tuple[int, int, int, int]]:
    """A write enters another process's view after it entered its own process's view."""
    owner = {v.instance.thread: i for i, v in enumerate(views) if "issue" in v.instance.view.orders}
    return [
        (
            owner[events.thread_of[write]],
            views[owner[events.thread_of[write]]].node[write],
            i,
            view.node[write],
        )
        for i, view in enumerate(views)
        if "issue" in view.instance.view.orders
        for write in events.writes
        if events.thread_of[write] != view.instance.thread
    ]


def _groups(problem: Problem) -> Iterator[Group]:
    events, views = problem.events, problem.views
    if problem.level.agree:
        for location, writes in enumerate(events.writes_to):
            sharing = [i for i, v in enumerate(views) if v.instance.location in (None, location)]
            reads = [r for r in events.reads if events.location_of[r] == location]
            yield Group(location, sharing, writes, reads)
        return
    for index, view in enumerate(views):
        reads_on: dict[int, list[int]] = {}
        for event in view.instance.events:
            if not events.is_write[event]:
                reads_on.setdefault(events.location_of[event], []).append(event)
        for location, reads in reads_on.items():
            yield Group(location, [index], events.writes_to[location], reads)


def _exclusions(events: Events) -> Iterator[tuple[int, int, int]]:
    """Write, read and later uncertain own write: with forwarding the later one would have been read."""
    if not events.optional:
        return
    for read, found in events.candidates.items():
        for write in found:
            if events.is_initial(write):
                start = 0
            elif events.thread_of[write] == events.thread_of[read]:
                start = events.index_in_thread[write] + 1
            else:
                continue
            thread = events.threads[events.thread_of[read]]
            for event in thread[start : events.index_in_thread[read]]:
                if event in events.optional and events.location_of[event] == events.location_of[read]:
                    yield write, read, event
