"""A solution of an encoding -> the execution that it stands for.

Only choices are read off the solution: which events are executed, their addresses and values, reads-from
and coherence. Everything else (`loc`, `fr`, `int`, final writes, ...) is computed from those here, so that
evaluating the model on the execution checks the encoding.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.encoding.executions import Encoding
from treville.events.execution import INIT_THREAD, Event, Execution
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.relations import Relation, elements, mask_of

IsTrue = Callable[[int], bool]
Runs = list[tuple[int, int, int]]  # events that keep their distances: see _runs
_DEPENDENCIES = ("addr", "data", "ctrl", "pick-addr", "pick-data", "pick-ctrl", "rmw", "lxsx", "amo")


class ExecutionReader:
    """Reads executions off solutions. Make it before the formula is handed to a solver: it asks for the
    literals of all addresses and values."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.facts = encoding.facts
        self.memory = encoding.memory
        values = self.memory.values
        live = [event for event in self.facts.symbolic.events if self.facts.live >> event.number & 1]
        for term in {term for event in live for term in (event.address, event.value) if term is not None}:
            values.prepare(term)
        self.conditions = {
            name: {pair: values.condition(when) for pair, when in self.facts.conditions[name].items()}
            for name in _DEPENDENCIES
        }

    def executed(self, is_true: IsTrue) -> list[int]:
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
        place = {number: index for index, number in enumerate(numbers)}
        execution = Execution([self._event(number, index, is_true) for index, number in enumerate(numbers)])
        _add_sets(execution)
        runs = _runs(numbers)
        self._add_order(execution, numbers, runs)
        self._add_choices(execution, numbers, place, runs, is_true)
        _add_memory(execution, self.facts.observed)
        return execution

    def _event(self, number: int, index: int, is_true: IsTrue) -> Event:
        address = self.facts.initial_writes.get(number)
        if address is not None:
            value = self.facts.values.initial.get(address, 0)
            return Event(index, INIT_THREAD, "W", frozenset({"IW"}), address, value)
        event = self.facts.symbolic.events[number]
        source = event.instruction
        return Event(
            index, event.thread, event.kind, event.tags, self._number(event.address, is_true),
            self._number(event.value, is_true), source.text, source.span, event.order,
        )  # fmt: skip

    def _number(self, term: int | None, is_true: IsTrue) -> int | None:
        return None if term is None else self.memory.values.number(term, is_true)

    def _add_order(self, execution: Execution, numbers: list[int], runs: Runs) -> None:
        for name in ("po", "si", "int", "ext", "atomicblock"):
            rows = self.facts.relations[name].may.rows
            execution.relations[name] = Relation([_renumbered(rows[number], runs) for number in numbers])

    def _add_choices(
        self, execution: Execution, numbers: list[int], place: dict[int, int], runs: Runs, is_true: IsTrue
    ) -> None:
        kept = mask_of(numbers)
        n = len(numbers)
        for name in _DEPENDENCIES:
            pairs = []
            bounds, conditions = self.facts.relations[name], self.conditions[name]
            for number in numbers:
                for target in elements(bounds.may.rows[number] & kept):
                    sure = bounds.must.rows[number] >> target & 1
                    if sure or is_true(conditions[number, target]):
                        pairs.append((place[number], place[target]))
            execution.relations[name] = Relation.of(n, pairs)
        reads_from = [
            (place[write], place[read])
            for read in numbers
            for write, literal in self.memory.sources.get(read, ())
            if write in place and is_true(literal)
        ]
        execution.relations["rf"] = Relation.of(n, reads_from)
        execution.relations["co"] = Relation(
            [_renumbered(row, runs) for row in self.memory.coherence_rows(numbers, kept, is_true)]
        )


def evaluate_execution(model: Model, execution: Execution) -> Evaluation:
    """What the model says about an execution."""
    return evaluate(model, len(execution.events), execution.sets, execution.relations)


def _runs(numbers: list[int]) -> Runs:
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


def _add_sets(execution: Execution) -> None:
    sets = {"R": 0, "W": 0, "F": 0, "IW": 0}
    for event in execution.events:
        for name in {event.kind, *event.tags}:
            sets[name] = sets.get(name, 0) | 1 << event.number
    sets["M"] = sets["R"] | sets["W"]
    execution.sets = sets


def _add_memory(execution: Execution, observed: frozenset[int]) -> None:
    """`loc`, `fr` and the final writes."""
    at: dict[int, int] = {}
    for event in execution.events:
        if event.address is not None:
            at[event.address] = at.get(event.address, 0) | 1 << event.number
    rows = [0 if event.address is None else at[event.address] for event in execution.events]
    execution.relations["loc"] = Relation(rows)
    co = execution.relations["co"]
    execution.relations["fr"] = execution.relations["rf"].inverse() @ co
    watched = mask_of(event.number for event in execution.events if event.address in observed)
    execution.sets["FW"] = execution.sets["W"] & watched & ~co.domain()
