"""A solution of an encoding -> the execution that it stands for.

Only choices are read off the solution: which events are executed, their addresses and values, reads-from
and coherence. Everything else (`loc`, `fr`, `int`, final writes, ...) is computed from those here, so that
evaluating the model on the execution checks the encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from treville.encoding.acyclicity import Encoding
from treville.events.execution import INIT_THREAD, Access, Event, Execution
from treville.events.kinds import WRITE
from treville.events.symbolic_data import StaticAccess, StaticEvent
from treville.events.symbolic_terms import Value
from treville.formulas.formula import Literal
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.relations import EventId, Relation, by_event, elements, mask_of

IsTrue = Callable[[Literal], bool]
Runs = list[tuple[EventId, int, int]]  # events that keep their distances: see _runs
_INITIAL = frozenset({"IW"})
_DEPENDENCIES = (
    "addr", "data", "ctrl", "ctrl-behind", "pick-addr", "pick-data", "pick-ctrl", "rmw", "lxsx", "amo",
)  # fmt: skip


class ExecutionReader:
    """Reads executions off solutions. Make it before the formula is handed to a solver: it asks for the
    literals of all addresses and values."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.facts = encoding.facts
        self.memory = encoding.memory
        values = self.memory.values
        live = [event for event in self.facts.symbolic.events if self.facts.live >> event.number & 1]
        for term in {term for event in live for term in _terms(event)}:
            values.prepare(term)
        self.conditions = {
            name: {pair: values.condition(when) for pair, when in self.facts.conditions[name].items()}
            for name in _DEPENDENCIES
        }

    def executed(self, is_true: IsTrue) -> list[EventId]:
        """The static events of a solution: initial writes first, then thread by thread in program order."""
        initial = list(self.facts.initial_writes)
        return initial + [
            event.number
            for event in self.facts.symbolic.events
            if self.facts.live >> event.number & 1 and is_true(self.memory.executed[event.number])
        ]

    def execution(self, is_true: IsTrue) -> Execution:
        """The execution of a solution."""
        numbers = self.executed(is_true)
        place = {number: index for index, number in by_event(numbers)}
        events = tuple([self._event(number, index, is_true) for number, index in place.items()])
        runs = _runs(numbers)
        relations = self._order(numbers, runs)
        relations |= self._choices(numbers, place, runs, is_true)
        relations |= _memory(events, relations)
        sets = _sets(events)
        watched = mask_of(event.number for event in events if event.address in self.facts.observed)
        sets["FW"] = sets["W"] & watched & ~relations["co"].domain()
        return Execution(events, sets, relations)

    def _event(self, number: EventId, index: EventId, is_true: IsTrue) -> Event:
        address = self.facts.initial_writes.get(number)
        if address is not None:
            value = self.facts.values.initial.get(address, 0)
            return Access(index, INIT_THREAD, WRITE, _INITIAL, address, value)
        event = self.facts.symbolic.events[number]
        source, number_of = event.instruction, self.memory.values.number
        if isinstance(event, StaticAccess):
            return Access(
                index, event.thread, event.kind, event.tags, number_of(event.address, is_true),
                number_of(event.value, is_true), source.text, source.span, event.order,
                getattr(source, "bits", 64),
            )  # fmt: skip
        where = None if event.address is None else number_of(event.address, is_true)
        return Event(
            index, event.thread, event.kind, event.tags, where, None, source.text, source.span, event.order
        )

    def _order(self, numbers: list[EventId], runs: Runs) -> dict[str, Relation]:
        """What depends on which events are executed alone."""
        found = {}
        for name in ("po", "si", "int", "ext", "atomicblock"):
            rows = self.facts.relations[name].may.rows
            found[name] = Relation([_renumbered(rows[number], runs) for number in numbers])
        return found

    def _choices(
        self, numbers: list[EventId], place: dict[EventId, EventId], runs: Runs, is_true: IsTrue
    ) -> dict[str, Relation]:
        """Dependencies, reads-from and coherence."""
        kept = mask_of(numbers)
        n = len(numbers)
        found = {}
        for name in _DEPENDENCIES:
            pairs = []
            bounds, conditions = self.facts.relations[name], self.conditions[name]
            for number in numbers:
                for target in elements(bounds.may.rows[number] & kept):
                    sure = bounds.must.rows[number] >> target & 1
                    if sure or is_true(conditions[number, target]):
                        pairs.append((place[number], place[target]))
            found[name] = Relation.of(n, pairs)
        reads_from = [
            (place[write], place[read])
            for read in numbers
            for write, literal in self.memory.sources.get(read, ())
            if write in place and is_true(literal)
        ]
        found["rf"] = Relation.of(n, reads_from)
        rows = self.memory.coherence_rows(numbers, kept, is_true)
        found["co"] = Relation([_renumbered(row, runs) for row in rows])
        return found


def evaluate_execution(model: Model, execution: Execution) -> Evaluation:
    """What the model says about an execution."""
    return evaluate(model, len(execution.events), execution.sets, execution.relations)


def _terms(event: StaticEvent) -> tuple[Value, ...]:
    """What has to be known of an event."""
    if isinstance(event, StaticAccess):
        return event.address, event.value
    return () if event.address is None else (event.address,)


def _runs(numbers: list[EventId]) -> Runs:
    """Events that keep their distances when they are renumbered: (first, mask of as many bits, new first)."""
    runs = []
    first = 0
    for index in range(1, len(numbers) + 1):
        if index == len(numbers) or numbers[index] != numbers[index - 1] + 1:
            runs.append((numbers[first], (1 << index - first) - 1, first))
            first = index
    return runs


def _renumbered(row: int, runs: Runs) -> int:
    """The row with the events of the runs alone, by their new numbers; much faster than bit by bit."""
    result = 0
    if row:
        for first, mask, new in runs:
            result |= (row >> first & mask) << new
    return result


def _sets(events: Iterable[Event]) -> dict[str, int]:
    sets = {"R": 0, "W": 0, "F": 0, "IW": 0}
    for event in events:
        for name in {event.kind, *event.tags}:
            sets[name] = sets.get(name, 0) | 1 << event.number
    sets["M"] = sets["R"] | sets["W"]
    return sets


def _memory(events: Iterable[Event], relations: Mapping[str, Relation]) -> dict[str, Relation]:
    """`loc` and `fr`."""
    at: dict[int, int] = {}
    for event in events:
        if event.address is not None:
            at[event.address] = at.get(event.address, 0) | 1 << event.number
    rows = [0 if event.address is None else at[event.address] for event in events]
    return {"loc": Relation(rows), "fr": relations["rf"].inverse() @ relations["co"]}
