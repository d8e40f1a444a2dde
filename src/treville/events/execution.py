"""A concrete candidate execution: events with values, and the base relations over them.

This is the common currency of the evaluator (`models.evaluate`), the brute-force oracle, the lazy
engine and the pictures: an engine that claims an execution hands over one of these, and it is checked
independently of how it was found.
"""

from __future__ import annotations

from collections.abc import Mapping

from treville.events.kinds import EventKind
from treville.records import dataclass, field
from treville.relations import EventId, Relation
from treville.results import Span

INIT_THREAD = -1


@dataclass(frozen=True, slots=True)
class Event:
    """One event: a fence, or an `Access`. `thread` is INIT_THREAD for initial writes, which are tagged `IW`.
    Fences have no value, and most no address. `order` counts the thread's source instructions in execution
    order. A read of fewer `bits` than were written finds the lowest ones."""

    number: EventId
    thread: int
    kind: EventKind
    tags: frozenset[str]
    address: int | None = None
    value: int | None = None
    text: str = ""
    span: Span | None = None
    order: int = 0
    bits: int = 64


@dataclass(frozen=True, slots=True)
class Access(Event):
    """A read or a write, with where it goes and what it finds or leaves there."""

    address: int
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """Events and what the program and the choices (rf, co) say about them.

    `sets` and `relations` hold every base name of cat that the dialect provides: among the sets `R`,
    `W`, `M`, `F`, `IW`, `FW` and one per tag; among the relations `po`, `addr`, `data`, `ctrl`, `rmw`, `rf`,
    `co`, `loc`, `int`, `ext`. A base name that is not listed is empty. Final values are those that the
    test observes, in the order of `LitmusTest.observed`. An execution never changes: who looks at it in
    another way makes another one (`passes.joint`).
    """

    events: tuple[Event, ...]
    sets: Mapping[str, int] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)
    final: tuple[int | tuple[int, ...], ...] = ()
