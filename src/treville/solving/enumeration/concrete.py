"""A candidate of the explicit engine -> an `Execution` with row relations, for checking, explaining and
drawing it independently of how it was found."""

from __future__ import annotations

from treville.events.execution import INIT_THREAD, Event, Execution
from treville.programs.litmus.test import LitmusTest
from treville.relations import Relation
from treville.solving.enumeration.engine import Candidate
from treville.solving.enumeration.shapes import OBSERVED_WRITES

SETS = frozenset({"R", "W", "M", "F", "IW", OBSERVED_WRITES})


def to_execution(test: LitmusTest, candidate: Candidate) -> Execution:
    """The candidate's events and all base sets and relations."""
    layout = candidate.layout
    packed = layout.everything()
    tags = {tag for shapes in layout.threads for shape in shapes for tag in shape.tags}
    execution = Execution(events=_events(test, candidate))
    for name, value in packed.items():
        if name in SETS or name in tags:
            execution.sets[name] = value
        else:
            execution.relations[name] = _unpack(value, layout.n)
    execution.relations["rf"] = _unpack(candidate.rf, layout.n)
    execution.relations["co"] = co = _unpack(candidate.co, layout.n)
    execution.relations["fr"] = _unpack(candidate.fr, layout.n)
    execution.sets["FW"] = execution.sets.pop(OBSERVED_WRITES) & ~co.domain()
    execution.final = tuple(candidate.final(observable) for observable in test.observed)
    return execution


def _events(test: LitmusTest, candidate: Candidate) -> list[Event]:
    layout, program = candidate.layout, test.program
    initial = {
        location.address + cell * location.cell_bytes: value
        for location in program.locations.values()
        for cell, value in enumerate(location.initial)
    }
    events = [
        Event(i, INIT_THREAD, "W", frozenset({"IW"}), address, initial.get(address, 0))
        for i, address in enumerate(layout.addresses)
    ]
    for thread, trace in enumerate(candidate.traces):
        code = program.threads[thread].instructions
        for shape, value, position in zip(trace.shapes, trace.values, trace.positions, strict=True):
            source = code[position]
            place = (source.text, source.span, shape.instruction)
            events.append(Event(len(events), thread, shape.kind, shape.tags, shape.address, value, *place))
    return events


def _unpack(packed: int, n: int) -> Relation:
    row = (1 << n) - 1
    return Relation([(packed >> (i * n)) & row for i in range(n)])
