"""Hand-made executions and models for the witness tests."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.model_builder import ModelBuilder

from treville.events.execution import INIT_THREAD, Access, Event, Execution
from treville.events.kinds import FENCE, READ, WRITE
from treville.models.evaluate import Value, evaluate
from treville.models.model import Axiom, Model
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Program
from treville.relations import EventId, Relation, mask_of


def store_buffering(fences: bool = True) -> tuple[Execution, Program]:
    """Both threads write, then read 0: events 2.. of P0, then of P1, after two initial writes."""
    program = ProgramDraft()
    x, y = program.location("x").address, program.location("y").address
    program.threads = [ThreadDraft("P0"), ThreadDraft("P1")]
    events: list[Event] = [_initial(EventId(0), x), _initial(EventId(1), y)]
    order = []
    for thread, (written, read) in enumerate(((x, y), (y, x))):
        number = EventId(len(events))
        mine: list[Event] = [Access(number, thread, WRITE, frozenset(), written, 1, "store", order=0)]
        if fences:
            mine.append(Event(EventId(len(events) + 1), thread, FENCE, frozenset({"MFENCE"}), order=1))
        number = EventId(len(events) + len(mine))
        mine.append(Access(number, thread, READ, frozenset(), read, 0, "load", order=2))
        order += [(a.number, b.number) for i, a in enumerate(mine) for b in mine[i + 1 :]]
        events += mine
    n = len(events)
    writes = [e for e in events if e.kind is WRITE]
    reads = [e for e in events if e.kind is READ]
    source: dict[int | None, EventId] = {x: EventId(0), y: EventId(1)}
    relations = {
        "po": Relation.of(n, order),
        "rf": Relation.of(n, [(source[r.address], r.number) for r in reads]),
        "co": Relation.of(n, [(source[w.address], w.number) for w in writes if w.thread >= 0]),
    }
    sets = {
        "W": mask_of(w.number for w in writes),
        "R": mask_of(r.number for r in reads),
        "MFENCE": mask_of(e.number for e in events if e.kind is FENCE),
    }
    return Execution(tuple(events), sets, relations, (0, 0)), program.finished()


def _initial(number: EventId, address: int) -> Access:
    return Access(number, INIT_THREAD, WRITE, frozenset({"IW"}), address, 0)


def sequential_consistency() -> tuple[Model, Axiom]:
    """acyclic po | rf | co | fr."""
    build = ModelBuilder("sc")
    axiom = add_sequential_consistency(build)
    return build.model, axiom


def add_sequential_consistency(build: ModelBuilder) -> Axiom:
    """The definitions and the axiom of it."""
    po, rf, co = build.base("po"), build.base("rf"), build.base("co")
    fr = build.node("seq", build.node("inverse", rf), co, name="fr")
    union = build.node("union", build.node("union", po, rf), build.node("union", co, fr), name="order")
    return build.axiom("acyclic", union, "sc")


def values_of(model: Model, execution: Execution) -> list[Value]:
    """The value of every node."""
    return evaluate(model, len(execution.events), execution.sets, execution.relations).values


@pytest.fixture
def made() -> SimpleNamespace:
    """The builders above, for tests that cannot import this file by name."""
    return SimpleNamespace(
        store_buffering=store_buffering,
        sequential_consistency=sequential_consistency,
        add_sequential_consistency=add_sequential_consistency,
        values_of=values_of,
        ModelBuilder=ModelBuilder,
    )
