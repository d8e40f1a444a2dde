"""A candidate of the explicit engine -> an `Execution` with row relations, for checking, explaining and
drawing it independently of how it was found."""

from __future__ import annotations

from collections.abc import Iterator

from treville.enumeration.candidates import Candidate
from treville.enumeration.shapes import OBSERVED_WRITES
from treville.events.execution import INIT_THREAD, Access, Event, Execution
from treville.events.kinds import WRITE
from treville.programs.litmus.test import LitmusTest
from treville.relations import EventId, Relation

SETS = frozenset({"R", "W", "M", "F", "IW", OBSERVED_WRITES})


def to_execution(test: LitmusTest, candidate: Candidate) -> Execution:
    """The candidate's events and all base sets and relations."""
    layout = candidate.layout
    packed = layout.everything()
    tags = {tag for shapes in layout.threads for shape in shapes for tag in shape.tags}
    sets: dict[str, int] = {}
    relations: dict[str, Relation] = {}
    for name, value in packed.items():
        if name in SETS or name in tags:
            sets[name] = value
        else:
            relations[name] = _unpack(value, layout.n)
    relations["rf"] = _unpack(candidate.rf, layout.n)
    relations["co"] = co = _unpack(candidate.co, layout.n)
    relations["fr"] = _unpack(candidate.fr, layout.n)
    sets["FW"] = sets.pop(OBSERVED_WRITES) & ~co.domain()
    final = tuple(candidate.final(observable) for observable in test.observed)
    return Execution(tuple(_events(test, candidate)), sets, relations, final)


def _events(test: LitmusTest, candidate: Candidate) -> Iterator[Event]:
    layout, program = candidate.layout, test.program
    initial = {
        location.address + cell * location.cell_bytes: value
        for location in program.locations.values()
        for cell, value in enumerate(location.initial)
    }
    number = 0
    for address in layout.addresses:
        yield Access(EventId(number), INIT_THREAD, WRITE, frozenset({"IW"}), address, initial.get(address, 0))
        number += 1
    for thread, trace in enumerate(candidate.traces):
        code = program.threads[thread].instructions
        for shape, value, position in zip(trace.shapes, trace.values, trace.positions, strict=True):
            source = code[position]
            place = (source.text, source.span, shape.instruction)
            if shape.address is None or value is None:
                yield Event(EventId(number), thread, shape.kind, shape.tags, shape.address, None, *place)
            else:
                yield Access(EventId(number), thread, shape.kind, shape.tags, shape.address, value, *place)
            number += 1


def _unpack(packed: int, n: int) -> Relation:
    row = (1 << n) - 1
    return Relation([(packed >> (i * n)) & row for i in range(n)])
