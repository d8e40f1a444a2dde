"""Checks evidence in linear time: the independent judge of every PASS that is too large for `validate.py`.

Like that judge it knows nothing of how an execution was found, and both accept the same evidence (the tests
compare them). Orders of one thread and real time are read off the places of a view; an order that passes
through other events is never closed, since a view keeps it exactly when the steps that generate it have no
cycle together with the view itself. Steps from one event to many run through relays.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from treville.histories.history import Events
from treville.histories.levels import Level
from treville.histories.validate import complaints, issue_complaints
from treville.histories.views import Execution, Instance, instances

_FEW_EVENTS = 2000


def objections(level: Level, events: Events, execution: Execution) -> list[str]:
    """What the judge for histories of this size says against the execution; empty when fine."""
    return (complaints if events.count <= _FEW_EVENTS else audit)(level, events, execution)


def audit(level: Level, events: Events, execution: Execution) -> list[str]:
    """What is wrong with the execution as evidence that the level allows the history; empty when fine."""
    problems = _wrong_sources(events, execution)
    if problems:
        return problems[:1]
    return _Audit(level, events, execution).complaints()


def _wrong_sources(events: Events, execution: Execution) -> list[str]:
    history, sources = events.history, execution.sources
    initial = [history.initial_value(key) for key in events.locations]
    for read in events.reads:
        source = sources.get(read)
        if source is None or not 0 <= source < events.count + len(events.locations):
            return [f"{events.label(read)} has no source"]
        if events.is_initial(source):
            location, value = source - events.count, initial[source - events.count]
        elif events.is_write[source]:
            location, value = events.location_of[source], events.values[source]
        else:
            return [f"{events.label(read)} cannot read from {events.label(source)}"]
        if location != events.location_of[read] or value != events.values[read]:
            return [f"{events.label(read)} cannot read from {events.label(source)}"]
    return []


class _Audit:
    """`present` marks the events that happened, `coherence` is the agreed order of each location's writes."""

    def __init__(self, level: Level, events: Events, execution: Execution) -> None:
        self.level, self.events, self.execution = level, events, execution
        self.present = bytearray(b"\1") * events.count
        happened = set(execution.sources.values()) if events.optional else set()
        for event in events.optional - happened:
            self.present[event] = 0
        self.coherence: dict[int, list[int]] = {}
        self.graphs: dict[str, list[list[int]] | None] = {}
        self.buffered: dict[int, int] | None = None
        self.ordered: set[int] | None = None

    def complaints(self) -> list[str]:
        if self.level.agree and (problem := self._disagreement()):
            return [problem]
        wanted = list(instances(self.level, self.events))
        given = {(i.view, i.thread, i.location): (i, order) for i, order in self.execution.views}
        for instance in wanted:
            found = given.get((instance.view, instance.thread, instance.location))
            problem = "no view" if found is None or found[0] != instance else self._view(instance, found[1])
            if problem:
                return [f"view of {instance.title(self.events)}: {problem}"]
        if any("issue" in instance.view.orders for instance in wanted):
            return issue_complaints(self.events, self.execution)
        return []

    def _disagreement(self) -> str:
        events = self.events
        for instance, order in self.execution.views:
            found: dict[int, list[int]] = {}
            for event in order:
                if events.is_write[event]:
                    found.setdefault(events.location_of[event], []).append(event)
            for location, writes in found.items():
                if self.coherence.setdefault(location, writes) != writes:
                    key = events.locations[location]
                    return f"view of {instance.title(events)} orders writes to {key} anew"
        return ""

    def _view(self, instance: Instance, order: Sequence[int]) -> str:
        if sorted(order) != [e for e in instance.events if self.present[e]]:
            return "other events than it should have"
        for name in instance.view.orders:
            if name in _BY_PLACE:
                wrong = _BY_PLACE[name](self.events, instance, order)
            else:
                wrong = None if name == "issue" or self._keeps(name, order) else order[0]
            if wrong is not None:
                return f"order {name} is violated, at {self.events.label(wrong)}"
        wrong = self._wrong_value(instance, order)
        return "" if wrong is None else f"{self.events.label(wrong)} sees another value"

    def _wrong_value(self, instance: Instance, order: Sequence[int]) -> int | None:
        """A read that does not see the last write before it, or what its process buffers."""
        events, sources = self.events, self.execution.sources
        last: dict[int, int] = {}
        waiting = self._buffered() if instance.view.forwarding else {}
        placed: set[int] = set()
        for event in order:
            location = events.location_of[event]
            if events.is_write[event]:
                last[location] = event
                placed.add(event)
                continue
            own = waiting.get(event, -1)
            if own >= 0 and own not in placed:
                seen = own
            else:
                seen = last.get(location, events.initial(location))
            if seen != sources[event]:
                return event
        return None

    def _buffered(self) -> dict[int, int]:
        """For every read the last write to its location before it in its thread, if there is one."""
        if self.buffered is None:
            self.buffered = {}
            for thread in self.events.threads:
                last: dict[int, int] = {}
                for event in thread:
                    location = self.events.location_of[event]
                    if not self.events.is_write[event]:
                        if location in last:
                            self.buffered[event] = last[location]
                    elif self.present[event]:
                        last[location] = event
        return self.buffered

    # -- orders that pass through other events -----------------------------------------------------

    def _keeps(self, name: str, order: Sequence[int]) -> bool:
        """Whether the order's steps and the view have no cycle together."""
        if name not in self.graphs:
            self.graphs[name] = _STEPS[name](self)
        graph = self.graphs[name]
        if graph is None:
            return False
        behind = [-1] * len(graph)
        for before, after in pairwise(order):
            behind[before] = after
        missing = [0] * len(graph)
        for node, following in enumerate(graph):
            for target in following:
                missing[target] += 1
            if behind[node] >= 0:
                missing[behind[node]] += 1
        ready = deque(node for node, count in enumerate(missing) if not count)
        done = 0
        while ready:
            node = ready.popleft()
            done += 1
            for target in (*graph[node], behind[node]) if behind[node] >= 0 else graph[node]:
                missing[target] -= 1
                if not missing[target]:
                    ready.append(target)
        return done == len(graph)

    def _threads(self) -> Iterator[list[int]]:
        return ([e for e in thread if self.present[e]] for thread in self.events.threads)

    def _causal(self) -> list[list[int]] | None:
        graph: list[list[int]] = [[] for _ in range(self.events.count)]
        for thread in self._threads():
            for before, after in pairwise(thread):
                graph[before].append(after)
        for read, source in self.execution.sources.items():
            if not self.events.is_initial(source):
                graph[source].append(read)
        return graph

    def _write_read_write(self) -> list[list[int]] | None:
        """A relay for each read, behind its source: before the later writes of the thread."""
        graph: list[list[int]] = [[] for _ in range(self.events.count)]
        for thread in self._threads():
            relay = -1
            for event in thread:
                if not self.events.is_write[event]:
                    relay = _behind(graph, relay)
                    source = self.execution.sources[event]
                    if not self.events.is_initial(source):
                        graph[source].append(relay)
                elif relay >= 0:
                    relay = _behind(graph, relay)
                    graph[relay].append(event)
        return graph

    def _overwriting(self, graph: list[list[int]], leads_to: Callable[[int], int | None]) -> dict[int, int]:
        """Relays along coherence, each leading to what belongs to its write and to the next relay: for each
        write (also initial ones) the relay of the write that overwrites it."""
        entry: dict[int, int] = {}
        for location, writes in self.coherence.items():
            before = self.events.initial(location)
            relay = -1
            for write in writes:
                relay = _behind(graph, relay)
                target = leads_to(write)
                if target is not None:
                    graph[relay].append(target)
                entry[before] = relay
                before = write
        return entry

    def _anti(self) -> list[list[int]] | None:
        """A relay for each read, in program order: its source enters, what overwrites it follows."""
        graph: list[list[int]] = [[] for _ in range(self.events.count)]
        entry = self._overwriting(graph, lambda write: write)
        for thread in self._threads():
            relay = -1
            for event in thread:
                if self.events.is_write[event]:
                    continue
                relay = _behind(graph, relay)
                source = self.execution.sources[event]
                if not self._in_coherence(source):
                    return None
                if not self.events.is_initial(source):
                    graph[source].append(relay)
                if source in entry:
                    graph[relay].append(entry[source])
        return graph

    def _semi_causal(self) -> list[list[int]] | None:
        events = self.events
        graph: list[list[int]] = [[] for _ in range(events.count)]
        previous: dict[int, int] = {}
        following: dict[int, int] = {}
        for thread in self._threads():
            for before, after in pairwise([e for e in thread if events.is_write[e]]):
                following[before], previous[after] = after, before
            self._dash_steps(graph, thread)
        entry = self._overwriting(graph, following.get)
        for read, source in self.execution.sources.items():
            if not self._in_coherence(source):
                return None
            if source in previous:
                graph[previous[source]].append(read)
            if source in entry:
                graph[read].append(entry[source])
        return graph

    def _dash_steps(self, graph: list[list[int]], thread: list[int]) -> None:
        """Program order without what leads from a write to a read of another location."""
        read = write = -1
        on: dict[int, int] = {}
        for event in thread:
            location, is_write = self.events.location_of[event], self.events.is_write[event]
            for before in {read, on.get(location, -1), write if is_write else -1} - {-1}:
                graph[before].append(event)
            on[location] = event
            if is_write:
                write = event
            else:
                read = event

    def _in_coherence(self, write: int) -> bool:
        if self.events.is_initial(write):
            return True
        if self.ordered is None:
            self.ordered = {w for writes in self.coherence.values() for w in writes}
        return write in self.ordered


def _behind(graph: list[list[int]], relay: int) -> int:
    """A new node, behind the last relay if there was one."""
    graph.append([])
    if relay >= 0:
        graph[relay].append(len(graph) - 1)
    return len(graph) - 1


_STEPS: dict[str, Callable[[_Audit], list[list[int]] | None]] = {
    "causal": _Audit._causal,
    "write-read-write": _Audit._write_read_write,
    "anti": _Audit._anti,
    "semi-causal": _Audit._semi_causal,
}


# -- orders that show in the places of a view -------------------------------------------------------------


def _program(events: Events, _: Instance, order: Sequence[int]) -> int | None:
    reached: dict[int, int] = {}
    for event in order:
        thread, index = events.thread_of[event], events.index_in_thread[event]
        if index < reached.get(thread, -1):
            return event
        reached[thread] = index
    return None


def _own_program(events: Events, instance: Instance, order: Sequence[int]) -> int | None:
    return _program(events, instance, [e for e in order if events.thread_of[e] == instance.thread])


def _buffer_order(by_location: bool) -> Callable[[Events, Instance, Sequence[int]], int | None]:
    """Reads come before all that follows them, writes before later writes (to the same location)."""

    def check(events: Events, _: Instance, order: Sequence[int]) -> int | None:
        anything = [-1] * len(events.threads)
        written: dict[tuple[int, int], int] = {}
        for event in order:
            thread, index = events.thread_of[event], events.index_in_thread[event]
            queue = (thread, events.location_of[event] if by_location else -1)
            if events.is_write[event]:
                if index < written.get(queue, -1):
                    return event
                written[queue] = index
            elif index < anything[thread]:
                return event
            anything[thread] = max(anything[thread], index)
        return None

    return check


def _real_time(events: Events, _: Instance, order: Sequence[int]) -> int | None:
    operations, position = events.history.operations, events.position
    latest = -math.inf
    for event in order:
        operation = operations[position[event]]
        if operation.end is not None and operation.end < latest:
            return event
        latest = max(latest, operation.start or 0.0)
    return None


_BY_PLACE: dict[str, Callable[[Events, Instance, Sequence[int]], int | None]] = {
    "program": _program,
    "own-program": _own_program,
    "program-tso": _buffer_order(False),
    "program-pso": _buffer_order(True),
    "real-time": _real_time,
}
