"""Which steps of a forbidden cycle does the other model not keep?

A cycle that one model forbids has steps within threads, and the other model allows the execution because it
keeps too few of them in order. Full fences are put into the execution as further events: those that are
needed for the allowing model to forbid it as well stand between accesses that changed places.
"""

from __future__ import annotations

from treville.engines.differences.task import Finding
from treville.events.execution import Event, Execution
from treville.events.kinds import FENCE
from treville.fences import FULL_FENCES
from treville.models.evaluate import evaluate
from treville.records import NamedTuple
from treville.relations import EventId, Relation, elements, mask_of
from treville.witness.explanation import Explanation

# A full fence to every model, of hardware and of C.
_FULL = FULL_FENCES | {"SC"}


class Step(NamedTuple):
    """Two events of a thread, one behind the other on the cycle; `kept` by the model that allows it."""

    first: Event
    second: Event
    kept: bool


def steps_of(finding: Finding, explanation: Explanation) -> list[Step]:
    """The steps within threads on the cycle that the forbidding model forbids."""
    events, order = finding.execution.events, finding.execution.relations["po"]
    pairs = [
        (events[hop.source], events[hop.target])
        for hop in explanation.hops()
        if (hop.source, hop.target) in order
    ]
    needed = _needed(finding, [second for _, second in pairs])
    return [Step(first, second, second not in needed) for first, second in pairs]


def _needed(finding: Finding, ends: list[Event]) -> list[Event]:
    """The fewest ends (none can be left out) in front of which fences forbid the execution; all of them if
    fences do not help."""
    place = {_key(event): event.number for event in finding.allowed.events}
    kept = list(dict.fromkeys(ends))
    if not all(_key(end) in place for end in kept):
        return kept
    for end in list(kept):
        fewer = [other for other in kept if other != end]
        if _forbidden(finding, [place[_key(other)] for other in fewer]):
            kept = fewer
    return kept


def _key(event: Event) -> tuple[object, ...]:
    """What an event is in both views of an execution."""
    return event.thread, event.order, event.kind, event.address


def _forbidden(finding: Finding, ends: list[EventId]) -> bool:
    execution = finding.allowed
    for end in ends:
        execution = with_fence(execution, end)
    judged = evaluate(finding.allowed_by, len(execution.events), execution.sets, execution.relations)
    return not judged.consistent


def with_fence(execution: Execution, end: EventId) -> Execution:
    """The execution with a full fence in front of the instruction that an event belongs to."""
    relations, fence = execution.relations, EventId(len(execution.events))
    front = end
    while earlier := _column(relations["po"], front) & relations["si"].rows[front]:
        front = next(elements(earlier))
    at = execution.events[front]
    found = {name: Relation([*relation.rows, 0]) for name, relation in relations.items()}
    for name in ("po", "int", "ext"):
        found[name] = _with_another(relations[name], front)
    found["po"].rows[fence] |= 1 << front
    found["si"].rows[fence] |= 1 << fence
    sets = {name: execution.sets.get(name, 0) | 1 << fence for name in ("F", *_FULL)}
    event = Event(fence, at.thread, FENCE, _FULL, order=at.order)
    return Execution((*execution.events, event), {**execution.sets, **sets}, found, execution.final)


def _with_another(relation: Relation, event: int) -> Relation:
    """The relation with a further event that is related as this one is."""
    rows = [*relation.rows, relation.rows[event]]
    return Relation([row | (row >> event & 1) << len(relation.rows) for row in rows])


def _column(relation: Relation, event: int) -> int:
    return mask_of(source for source, row in enumerate(relation.rows) if row >> event & 1)
