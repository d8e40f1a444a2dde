"""A graph in which a thread fails -> a run that leads to it, and its execution.

Only what the failing thread needs is kept: other threads may have come as far as that and no further.
"""

from __future__ import annotations

from treville.events.execution import Execution
from treville.machines.buffers.trace import threads_in_order
from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.explore import Explorer, Failing
from treville.machines.graphs.graph import Graph
from treville.machines.states import Answer, Log
from treville.machines.threads import MAIN
from treville.machines.views.trace import ViewTrace
from treville.programs import ir
from treville.programs.operators import wrap
from treville.results.verdict import Verdict

_KINDS = {
    Kind.READ: "R", Kind.WRITE: "D", Kind.FENCE: "F", Kind.CHOOSE: "H", Kind.SPAWN: "S", Kind.JOIN: "J",
    Kind.ALLOCATE: "A", Kind.FREE: "D",
}  # fmt: skip


def answer_of(explorer: Explorer, found: Failing) -> Answer:
    """A run in which every event comes after what it needs."""
    log: list[Log] = []
    placed: dict[int, list[Event]] = {}
    bodies = [MAIN]
    graph = _with_last_reads(explorer, found.graph) if found.waiting else found.graph
    for event in _in_order(graph):
        if event.instruction is None or (event.kind is Kind.FREE and not event.place):
            continue
        if isinstance(event.instruction, ir.Spawn):
            bodies.append(event.instruction.function)
        log.append(_logged(graph, event, placed))
    return Answer(Verdict.FAIL, explorer.complete, found.instruction, log, bodies, found.message)


def _with_last_reads(explorer: Explorer, graph: Graph) -> Graph:
    """The graph in which threads that wait read once more, in vain, the last write of what they wait for."""
    other = graph.copy()
    for events in other.threads.values():
        if not events or events[-1].kind is not Kind.WAIT:
            continue
        wait, load = events[-1], explorer.threads.actions[events[-1].after].instruction
        assert isinstance(load, ir.Load)
        source = other.writes[wait.place][-1]
        read = Event(Kind.READ, wait.thread, wait.index, wait.bit, wait.state)
        read.instruction, read.place, read.source = load, wait.place, source
        read.value = wrap(source.value, load.bits)
        read.prefix = wait.prefix | source.prefix
        other.order[other.order.index(wait)] = events[-1] = read
    return other


def waiting_of(answer: Answer, found: Failing) -> list[tuple[int, ir.Instruction]]:
    """The threads that wait for ever, with their numbers in the run."""
    numbers = threads_in_order(answer.log)
    return [(numbers[thread], instruction) for thread, instruction in found.waiting]


def execution_of(program: ir.Program, answer: Answer) -> Execution:
    """The execution of the run."""
    return ViewTrace(program, answer).execution()


def _in_order(graph: Graph) -> list[Event]:
    """All events, each after those that it needs."""
    return sorted(graph.order, key=lambda event: event.prefix.bit_count())


def _logged(graph: Graph, event: Event, placed: dict[int, list[Event]]) -> Log:
    address, value, place = event.place, event.value, 0
    if event.kind is Kind.READ:
        order = placed.get(event.place, [])
        place = 0 if event.source not in order else 1 + order.index(event.source)
    elif event.kind is Kind.WRITE:
        order = placed.setdefault(event.place, [])
        final = graph.writes[event.place]
        at = final.index(event)
        place = 1 + sum(final.index(other) < at for other in order)
        order.insert(place - 1, event)
    elif event.kind is Kind.FREE:
        order = placed.setdefault(event.place, [])
        order.append(event)
        place = len(order)
    elif event.kind in (Kind.SPAWN, Kind.JOIN):
        address, value = event.value, 0
    elif event.kind is Kind.CHOOSE:
        address = 0
    return Log(_KINDS[event.kind], event.thread, address, value, event.instruction, False, place)
