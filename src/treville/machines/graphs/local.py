"""The events of one thread -> what each depends on, and the part of program order that a model preserves.

Both follow from what the thread did and read, whatever other threads do, so each is computed once for all
graphs in which it did the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from treville.events.trace import Value
from treville.machines.dependencies import Needs, Walk
from treville.machines.graphs.event import Event, Kind
from treville.machines.threads import MAIN
from treville.programs import ir

if TYPE_CHECKING:
    from treville.machines.graphs.graph import Graph
    from treville.machines.threads import Threads

Key: TypeAlias = tuple[object, ...]


def key_of(graph: Graph, thread: int) -> Key:
    """The same for all graphs in which the thread did the same."""
    root = graph.roots[thread]
    return (thread, root.after, *[(event.state, event.value) for event in graph.threads[thread]])


class Dependencies:
    """What the events of threads depend on: masks of the indices of reads in the same thread."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._known: dict[Key, list[Needs | None]] = {}

    def of(self, graph: Graph, thread: int) -> list[Needs | None]:
        """For each event of the thread what it needs; None for those that are in no relation."""
        key = key_of(graph, thread)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._walked(graph, thread)
        return found

    def are_no_more(self, graph: Graph, first: Event, last: Event, after: int) -> bool:
        """Does what follows depend on no more, if the first of two reads finds at once what the last finds,
        and nothing comes between?"""
        following = self._threads.actions[after].instruction
        if following is None:
            return True
        events, bit = graph.threads[first.thread], 1 << last.index
        long, short = self._walk(graph, first.thread), self._walk(graph, first.thread)
        for walk, before, read in ((long, events[: last.index], last), (short, events[: first.index], first)):
            for event in before:
                self._pass(walk, event)
            assert read.instruction is not None
            walk.run_to(read.instruction)
            walk.go_on(Value(last.value, bit))
            walk.run_to(following)
        return long.depends_on_all_of(short, {name for name, _ in self._threads.frames[after].registers})

    def are_kept(self, graph: Graph, first: Event, last: Event, after: int) -> bool:
        """Does what follows depend on all that it would depend on without a round of events, behind which the
        thread is where it was before the first?"""
        following = self._threads.actions[after].instruction
        if following is None:
            return True
        events = graph.threads[first.thread]
        long, short = self._walk(graph, first.thread), self._walk(graph, first.thread)
        for walk, passed in ((long, [*events[: last.index], last]), (short, events[: first.index])):
            for event in passed:
                self._pass(walk, event)
            walk.run_to(following)
        return long.depends_on_all_of(short, {name for name, _ in self._threads.frames[after].registers})

    def are_kept_by_read(self, state: int, value: int) -> bool:
        """The same for a round of one read that finds a value, whatever the thread depended on before."""
        before, behind = self._at(state), self._at(state)
        load = behind.body.instructions[behind.position]
        behind.go_on(Value(value))
        behind.run_to(load)
        return behind.depends_on_all_of(before, {name for name, _ in self._threads.frames[state].registers})

    def _at(self, state: int) -> Walk:
        """A thread where each register and cell depends on something of its own."""
        frame = self._threads.frames[state]
        walk = Walk(self._threads.bodies[frame.body], 0)
        walk.position = frame.position
        for number, (name, value) in enumerate(frame.registers):
            walk.registers[name] = Value(value, 1 << number)
        for number, ((name, at), value) in enumerate(frame.cells, len(frame.registers)):
            walk.cells.setdefault(name, {})[at] = Value(value, 1 << number)
        return walk

    def _walk(self, graph: Graph, thread: int) -> Walk:
        body, argument = self._body(graph, thread)
        return Walk(self._threads.bodies[body], thread, argument)

    def _pass(self, walk: Walk, event: Event) -> None:
        if event.instruction is not None:
            walk.run_to(event.instruction)
            walk.go_on(self._result(event))

    def _walked(self, graph: Graph, thread: int) -> list[Needs | None]:
        walk = self._walk(graph, thread)
        found: list[Needs | None] = []
        for event in graph.threads[thread]:
            instruction = event.instruction
            if instruction is None:
                found.append(None)
                continue
            walk.run_to(instruction)
            if event.kind in (Kind.READ, Kind.WRITE, Kind.FENCE):
                found.append(walk.needs(instruction))
            else:
                found.append(None)
            walk.go_on(self._result(event))
        return found

    def _result(self, event: Event) -> Value:
        if event.kind is Kind.READ:
            return Value(event.value, 1 << event.index)
        return Value(event.place if event.kind is Kind.ALLOCATE else event.value)

    def _body(self, graph: Graph, thread: int) -> tuple[str, int]:
        """What a thread runs, with which argument."""
        start = graph.roots[thread]
        made = start.instruction
        return (made.function, start.value) if isinstance(made, ir.Spawn) else (MAIN, 0)
