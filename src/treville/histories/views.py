"""The views that a level asks for on given events, and the evidence that they exist."""

from __future__ import annotations

from collections.abc import Iterator

from treville.histories.history import Events
from treville.histories.levels import Level, Scope, View
from treville.records import dataclass


@dataclass(frozen=True, slots=True)
class Instance:
    """One view to be found: its events (in log order), for whom and where."""

    view: View
    thread: int | None
    location: int | None
    events: tuple[int, ...]

    def title(self, events: Events) -> str:
        """For whom and where this view is."""
        who = f"process {events.process_names[self.thread]}" if self.thread is not None else ""
        where = f"key {events.locations[self.location]}" if self.location is not None else ""
        return ", ".join(part for part in (who, where) if part) or "all processes"


@dataclass(frozen=True, slots=True)
class Execution:
    """Evidence for a level: the source of every read, and one total order for each view instance.

    Initial writes are not listed in the views; they come before everything.
    """

    sources: dict[int, int]
    views: tuple[tuple[Instance, tuple[int, ...]], ...]


def instances(level: Level, events: Events) -> Iterator[Instance]:
    """The views that the level asks for, in a fixed order."""
    for view in level.views:
        yield from _instances_of(view, events)


def _instances_of(view: View, events: Events) -> Iterator[Instance]:
    if view.scope is Scope.EVERYTHING:
        yield Instance(view, None, None, tuple(range(events.count)))
    elif view.scope is Scope.PROCESS:
        for thread, own in enumerate(events.threads):
            reads = [e for e in own if not events.is_write[e]]
            yield Instance(view, thread, None, tuple(sorted((*events.writes, *reads))))
    elif view.scope is Scope.LOCATION:
        by_location: list[list[int]] = [[] for _ in events.locations]
        for event in range(events.count):
            by_location[events.location_of[event]].append(event)
        for location, found in enumerate(by_location):
            yield Instance(view, None, location, tuple(found))
    else:
        for thread, own in enumerate(events.threads):
            reads_on: dict[int, list[int]] = {}
            for event in own:
                on = reads_on.setdefault(events.location_of[event], [])
                if not events.is_write[event]:
                    on.append(event)
            for location, reads in sorted(reads_on.items()):
                found = sorted((*events.writes_to[location], *reads))
                yield Instance(view, thread, location, tuple(found))
