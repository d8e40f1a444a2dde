"""A run of the machine -> its transitions' events and the ghb pairs between them (paper 002, section 2).

Coherence is the order in which writes reach memory; a read takes its value from its own pending write or
from the last write in memory.
"""

from __future__ import annotations

import itertools

from treville.parameterised.states.machine import Machine, Step
from treville.parameterised.states.replay import RunStep
from treville.parameterised.wording import process, term_text
from treville.records import dataclass, field


@dataclass(slots=True)
class Event:
    """The weak accesses of one transition, or the look of `unsafe`."""

    name: str
    process: int
    reads: list[int]
    writes: list[int]
    fence: bool


@dataclass(slots=True)
class Graph:
    """Events and edges (from, to, label: ppo, fence, rf, co or fr)."""

    events: list[Event] = field(default_factory=list)
    edges: dict[tuple[int, int], set[str]] = field(default_factory=dict)

    def add(self, first: int, second: int, label: str) -> None:
        """Note an edge; an event is never before itself."""
        if first != second:
            self.edges.setdefault((first, second), set()).add(label)


def graph_of(machine: Machine, run: list[RunStep]) -> Graph:
    """The graph of a run under a weak model."""
    return _Builder(machine).build(run)


class _Builder:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.graph = Graph()
        self.writers: dict[int, list[int]] = {}
        self.pending: list[list[int]] = [[] for _ in range(machine.processes)]
        # (reading event, slot, source event or -1)
        self.reads: list[tuple[int, int, int]] = []

    def build(self, run: list[RunStep]) -> Graph:
        previous = None
        for step in run:
            if step.kind == "step" and step.step is not None:
                self.transition(step.step, step.text)
            elif step.kind == "flush" and previous is not None:
                self.flush(previous, step)
            elif step.kind == "look":
                self.look(step)
            previous = step
        for number, waiting in enumerate(self.pending):
            for event in waiting:
                self.reach(event)
            self.pending[number] = []
        self.orders()
        return self.graph

    def reach(self, event: int) -> None:
        for slot in self.graph.events[event].writes:
            self.writers.setdefault(slot, []).append(event)

    def transition(self, step: Step, name: str) -> None:
        transition = step.transition
        if not (transition.reads or transition.writes or transition.fence):
            return
        reads = sorted(step.read_slots) if transition.reads else []
        writes = sorted(step.weak_slots)
        event = len(self.graph.events)
        text = f"{name}({', '.join(process(i) for i in step.place)})"
        self.graph.events.append(Event(text, step.actor, reads, writes, transition.fence))
        for slot in reads:
            self.reads.append((event, slot, self.source(step.actor, slot)))
        if writes:
            if transition.reads:
                self.reach(event)
            else:
                self.pending[step.actor].append(event)

    def source(self, reader: int, slot: int) -> int:
        for event in reversed(self.pending[reader]):
            if slot in self.graph.events[event].writes:
                return event
        return self.writers.get(slot, [-1])[-1]

    def flush(self, before: RunStep, step: RunStep) -> None:
        old, new = before.state[1][step.process], step.state[1][step.process]
        position = next((i for i, entry in enumerate(new) if entry != old[i]), len(new))
        self.reach(self.pending[step.process].pop(position))

    def look(self, step: RunStep) -> None:
        event = len(self.graph.events)
        slots = sorted({slot for _, slot in step.looks})
        self.graph.events.append(Event("unsafe", -1, slots, [], False))
        for reader, slot in step.looks:
            self.reads.append((event, slot, self.source(reader, slot)))

    def orders(self) -> None:
        graph, pso = self.graph, self.machine.system.model == "pso"
        for first, earlier in enumerate(graph.events):
            for second in range(first + 1, len(graph.events)):
                later = graph.events[second]
                if later.process != earlier.process:
                    continue
                shared = set(earlier.writes) & set(later.writes)
                if earlier.reads or (earlier.writes and later.writes and (not pso or shared)):
                    graph.add(first, second, "ppo")
                elif later.fence and earlier.writes:
                    graph.add(first, second, "fence")
        for writers in self.writers.values():
            for first, second in itertools.pairwise(writers):
                graph.add(first, second, "co")
        for event, slot, source in self.reads:
            writers = self.writers.get(slot, [])
            if source >= 0 and graph.events[source].process != graph.events[event].process:
                graph.add(source, event, "rf")
            following = writers.index(source) + 1 if source in writers else 0
            if following < len(writers):
                graph.add(event, writers[following], "fr")


def slot_names(machine: Machine) -> dict[int, str]:
    """Slots of a machine as text."""
    return {slot: term_text(term) for term, slot in machine.slots.items()}
