"""Copies of what nobody set: which bytes of what a read finds are such, as a formula says.

A read that only moves what it finds (`Load.unset`) finds bytes that nobody set where it reads fresh memory,
or what a write put there that moved such bytes itself (`Store.unset`). So the bytes follow reads-from.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.encoding.acyclicity import Encoding
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.programs.ir import Load
from treville.records import NamedTuple
from treville.relations import EventId, elements


class UnsetSource(NamedTuple):
    """A read, and the literal that it finds in a write what nobody set."""

    read: EventId
    literal: Literal


def tie_unset_contents(
    encoding: Encoding, fresh: Sequence[tuple[EventId, EventId]]
) -> list[UnsetSource]:
    """Let the bytes of reads be those of their sources; the reads that may find some that nobody set. `fresh`
    are writes that stand for fresh memory, and reads that may find them."""
    symbolic, memory, formula = encoding.facts.symbolic, encoding.memory, encoding.formula
    found: dict[EventId, list[tuple[EventId, tuple[Literal, ...] | None]]] = {}
    for write, read in fresh:
        found.setdefault(read, []).append((write, None))
    if symbolic.unset_writes:
        sources = encoding.facts.relations["rf"].may.rows
        for write, conditions in symbolic.unset_writes.items():
            unset = tuple(memory.values.condition(condition) for condition in conditions)
            for read in elements(sources[write]):
                found.setdefault(read, []).append((write, unset))
    for read, bytes_read in symbolic.unset_reads.items():
        for number, condition in enumerate(bytes_read):
            bodies = [
                [memory.reads_from(write, read), _byte(unset, number)] for write, unset in found.get(read, ())
            ]
            chosen, there = memory.values.condition(condition), formula.any_of(bodies)
            formula.require(-chosen, there)
            formula.require(chosen, -there)
    return [
        UnsetSource(read, formula.both(memory.reads_from(write, read), _some(encoding, read, unset)))
        for read, writes in found.items()
        for write, unset in writes
    ]


def _byte(unset: tuple[Literal, ...] | None, number: int) -> Literal:
    if unset is None:
        return TRUE
    return unset[number] if number < len(unset) else FALSE


def _some(encoding: Encoding, read: EventId, unset: tuple[Literal, ...] | None) -> Literal:
    """Is one of the bytes that are read among those? All have to be where the rest is handed on."""
    load = encoding.instruction(read)
    if unset is None or not isinstance(load, Load):
        return TRUE
    if load.unset:
        return -encoding.formula.either([-literal for literal in unset])
    return encoding.formula.either(list(unset[slice(*(load.looks or (0, 8)))]))
