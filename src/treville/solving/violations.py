"""A property of a whole program -> the literal of its violation in an encoding of the program's executions.

Assertions and errors of memory are literals of the encoding; data races are flags of the model. For
deadlock and liveness every thread that was started has ended or waits for ever, and some do wait: what they
read is never overwritten, but by other waiting threads that write back what is there. That is fair, since
whatever they could do next would find the same (O. Lahav et al., OOPSLA 2021).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from treville.encoding.acyclicity import Encoding
from treville.events.execution import Execution
from treville.formulas.formula import FALSE, Literal
from treville.models.model import Model
from treville.models.races import races_of
from treville.models.use_after_free import LIFETIMES
from treville.programs.ir import Instruction, Join, Load, error_of
from treville.records import NamedTuple, dataclass, field
from treville.relations import EventId, elements, mask_of
from treville.results.properties import NEVER_WRITTEN, Error, Property
from treville.solving.freed_objects import errors_of_freeing
from treville.solving.unset_contents import UnsetSource


class Part(NamedTuple):
    """What can take part in a violation: an instruction, and the thread that waits there if one does, with
    what it reads and writes there. `message` is for people."""

    literal: Literal
    instruction: Instruction
    thread: int | None = None
    reads: tuple[EventId, ...] = ()
    writes: tuple[EventId, ...] = ()
    message: str = ""


@dataclass(slots=True)
class Violation:
    """The literal that the property is violated. `unsure`: only where evaluating the model on the execution
    says so too, because its flags could not be encoded. `spoilt`: something else goes wrong, which nobody
    asked for, and what follows means nothing; no such execution violates the property."""

    literal: Literal
    parts: list[Part] = field(default_factory=list)
    unsure: bool = False
    spoilt: Literal = FALSE


def violation(
    encoding: Encoding, model: Model, goal: Property, unset: Sequence[UnsetSource] = ()
) -> Violation:
    """What an execution must do to violate the property. Make it before the formula goes to a solver. `unset`
    are reads that may find what nobody set."""
    match goal:
        case Property.RACE:
            return _race(encoding, model)
        case Property.DEADLOCK | Property.LIVENESS:
            return _waiting(encoding, goal)
        case Property.SAFETY | Property.ASSERTION | Property.MEMORY | Property.VALID_MEMSAFETY:
            return _failure(encoding, model, goal.errors, unset)
        case Property.VALID_DEREF | Property.VALID_FREE | Property.VALID_MEMTRACK:
            return _failure(encoding, model, goal.errors, unset)
        case _:
            assert_never(goal)


def _unset(encoding: Encoding, reads: Sequence[UnsetSource]) -> Iterator[Part]:
    """The reads that look at what nobody wrote."""
    for read, literal in reads:
        load = encoding.instruction(read)
        if isinstance(load, Load) and not load.blind:
            yield Part(literal, load, message=NEVER_WRITTEN)


def _failure(
    encoding: Encoding, model: Model, errors: frozenset[Error], unset: Sequence[UnsetSource]
) -> Violation:
    either, both = encoding.formula.either, encoding.formula.both
    possible = [Part(literal, access, message=told) for literal, access, told in errors_of_freeing(encoding)]
    possible += [Part(literal, failing) for literal, failing in encoding.possible_failures()]
    parts = [part for part in possible if error_of(part.instruction) in errors]
    if Error.UNDEFINED in errors:
        parts += _unset(encoding, unset)
    spoilt = either([part.literal for part in possible if error_of(part.instruction) not in errors])
    literals = [part.literal for part in parts]
    unordered = [axiom.name for axiom in model.axioms if axiom.name in LIFETIMES]
    if any(name not in encoding.flags for name in unordered):
        return Violation(-spoilt, parts, unsure=True, spoilt=spoilt)
    literals += [encoding.flags[name] for name in unordered]
    return Violation(both(either(literals), -spoilt), parts, spoilt=spoilt)


def _race(encoding: Encoding, model: Model) -> Violation:
    names = [axiom.name for axiom in races_of(model)]
    either, both = encoding.formula.either, encoding.formula.both
    spoilt = either(list(encoding.memory.faults.values()))
    if any(name not in encoding.flags for name in names):
        return Violation(-spoilt, unsure=True, spoilt=spoilt)
    return Violation(both(either([encoding.flags[name] for name in names]), -spoilt), spoilt=spoilt)


def _waiting(encoding: Encoding, goal: Property) -> Violation:
    formula, symbolic = encoding.formula, encoding.facts.symbolic
    condition = encoding.memory.values.condition
    waits = [(wait, there) for wait in symbolic.waits if (there := condition(wait.condition)) != FALSE]
    if goal == Property.DEADLOCK:
        # A loop that reads nothing runs for ever, but does not wait.
        waits = [(wait, there) for wait, there in waits if wait.reads or isinstance(wait.instruction, Join)]
    parts = []
    for wait, there in waits:
        for_ever = formula.choice()
        formula.forbid(for_ever, -there)
        parts.append(Part(for_ever, wait.instruction, wait.thread, wait.reads, wait.writes))
    _find_the_same(encoding, parts)
    settled = []
    for thread, (started, ended) in symbolic.threads.items():
        own = [part.literal for part in parts if part.thread == thread]
        settled.append(formula.either([-condition(started), condition(ended), *own]))
    someone = formula.either([part.literal for part in parts])
    return Violation(formula.both(someone, *settled), parts)


def _find_the_same(encoding: Encoding, parts: list[Part]) -> None:
    """Who waits for ever reads what nobody overwrites, but those who write back what they read."""
    formula, memory = encoding.formula, encoding.memory
    writing_back: dict[EventId, list[Literal]] = {}
    for part in parts:
        for write in part.writes:
            writing_back.setdefault(write, []).append(part.literal)
    overwriting = encoding.facts.relations["fr"].may.rows
    for part in parts:
        for read in part.reads:
            for write in elements(overwriting[read]):
                harmless = [-literal for literal in writing_back.get(write, [])]
                formula.forbid(part.literal, memory.from_read(read, write), *harmless)


def check_waiting(parts: list[Part], execution: Execution, numbers: list[EventId]) -> None:
    """Look at the execution itself: is what the waiting threads read really never overwritten? `numbers` are
    the static events of the execution's events."""
    place = {number: index for index, number in enumerate(numbers)}
    harmless = mask_of(place[write] for part in parts for write in part.writes if write in place)
    overwriting = execution.relations["fr"].rows
    for part in parts:
        for read in part.reads:
            if read in place and overwriting[place[read]] & ~harmless:
                raise AssertionError("a thread that waits for ever reads something that is overwritten")
