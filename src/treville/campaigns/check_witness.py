"""A failing execution -> what people and scripts get to see of it.

An execution that is an interleaving is told step by step. Any other one is told thread by thread, with the
cycle that no interleaving has: the accesses that happened out of program order are on it.
"""

from __future__ import annotations

from typing import assert_never

from treville.campaigns.check_task import Question
from treville.campaigns.guard import Draft
from treville.campaigns.kind import Telling
from treville.engines.contract import Failure, Refuted
from treville.events.execution import Event, Execution
from treville.models.evaluate import Evaluation, evaluate
from treville.models.library import load_model
from treville.models.model import Model
from treville.models.races import races_in
from treville.programs.ir import NULL_PAGE, Assert, Free, Instruction, Join, Program, error_of
from treville.questions.reachability import WrongWitness, judge_again
from treville.records import replace
from treville.results.properties import NEVER_WRITTEN, Error, Kind, Property
from treville.results.reports.check import CheckReport, Step, Waiting, Witness, WitnessEvent
from treville.results.reports.report import Place
from treville.witness.explanation import explain
from treville.witness.linearisation import linearise
from treville.witness.naming import Names, line_name, name_events, thread_name
from treville.witness.words import explanation_text


def show_failure(
    draft: Draft[CheckReport],
    refuted: Refuted[Failure],
    model: Model,
    goal: Property,
    question: Question,
    telling: Telling[CheckReport],
) -> None:
    """Describe the violation of the property in the report, and draw it where the options say."""
    found = violated(refuted, goal)
    short = failure(refuted) if goal.is_about_failures else found
    draft.report = replace(draft.report, violated=found, reason=short)
    telling.provisional(draft.report)
    describe(draft, refuted, model, goal)
    options = question.options
    if options.svg or options.dot or options.graphml:
        from treville.campaigns.check_pictures import pictures

        drawn = tuple(pictures(draft.report, refuted.execution, refuted.evidence.program, model, question))
        draft.report = replace(draft.report, artifacts=drawn)


def describe(draft: Draft[CheckReport], refuted: Refuted[Failure], model: Model, goal: Property) -> None:
    """Add the witness, and what fails where, to the report."""
    shown = witness(refuted, model, goal)
    draft.report = replace(
        draft.report,
        witness=shown,
        violated=violated(refuted, goal),
        reason=shown.failure,
        place=_failing_place(shown, refuted),
    )


def witness(refuted: Refuted[Failure], model: Model, goal: Property) -> Witness:
    """The violating execution as people and scripts get to see it."""
    execution, found = refuted.execution, refuted.evidence
    names = name_events(execution, found.program)
    order = linearise(execution)
    shown = Witness(
        failure="",
        threads=tuple(found.thread_names),
        events=tuple(_event(event, names, found) for event in execution.events if event.thread >= 0),
        rf=_pairs(execution, "rf", names),
        co=_pairs(execution, "co", names),
        interleaving=None if order is None else tuple(names.label[event] for event in order),
    )
    if order is None:
        shown = _with_reordering(shown, execution, found.program, names)
    match goal.kind:
        case Kind.RACES:
            return _with_race(shown, judge_again(refuted, model), names)
        case Kind.WAITING:
            return _with_waiting(shown, found, goal)
        case Kind.ERRORS:
            return replace(shown, failure=failure(refuted))
        case _:
            assert_never(goal.kind)


def _failing_place(shown: Witness, refuted: Refuted[Failure]) -> Place | None:
    """The line to point at: of what fails, of the first racing access, of the first thread that waits."""
    if shown.race is not None:
        own = [event.place for event in shown.events if event.label in shown.race]
        return min((place for place in own if place), key=lambda place: place.line, default=None)
    if shown.waiting:
        return shown.waiting[0].place
    span = refuted.evidence.failed[0].span if refuted.evidence.failed else None
    return Place(file=span.file, line=span.line, column=span.column) if span else None


def violated(refuted: Refuted[Failure], goal: Property) -> str:
    """What was violated, by its name: an error, or a property that is not about errors."""
    if not goal.is_about_failures:
        return goal.value
    failed = refuted.evidence.failed
    if refuted.evidence.message == NEVER_WRITTEN:
        return Error.UNDEFINED.value
    return (error_of(failed[0]) if failed else Error.ASSERTION).value


def _with_race(shown: Witness, judged: Evaluation, names: Names) -> Witness:
    """The racing pair; one of the program's own accesses if the model relates initial writes as well."""
    pairs = races_in(judged)
    if not pairs:
        raise WrongWitness(f"the execution has no race under {judged.model.name}")
    pair = min(pairs, key=lambda pair: (sum(names.label[event] == "" for event in pair), pair))
    race = tuple(names.label[event] or names.brief[event] for event in pair)
    events = {event.label: event for event in shown.events}
    own = sorted((events[label] for label in race if label in events), key=lambda event: event.line or 0)
    told = [label for label in race if label not in events]
    told += [_access(event, own[0].file) for event in own]
    both = list(dict.fromkeys(told))
    place, unordered = _place(own[0]) if own else "", " are not ordered" if len(both) > 1 else ""
    return replace(shown, race=race, failure=f"{place}data race: {' and '.join(both)}{unordered}")


def _place(event: WitnessEvent | Waiting) -> str:
    return f"{event.file}:{event.line}: " if event.line else ""


def _access(event: WitnessEvent, main: str | None) -> str:
    line = line_name(event.file, event.line, main)
    return f"{event.does}{' in ' if line else ''}{line} ({thread_name(event.number, event.thread)})"


def _with_waiting(shown: Witness, found: Failure, goal: Property) -> Witness:
    """Who does not end, and where; those that wait for another thread's end come last."""
    places = sorted(
        zip(found.waiting, found.failed, strict=True), key=lambda pair: (isinstance(pair[1], Join), pair[0])
    )
    waiting = tuple(
        Waiting(
            thread=found.thread_names[thread],
            number=thread,
            file=instruction.span.file if instruction.span else None,
            line=instruction.span.line if instruction.span else None,
            source=instruction.text,
        )
        for thread, instruction in places
    )
    told = [
        f"{thread_name(place.number, place.thread)} ({line_name(place.file, place.line, waiting[0].file)})"
        for place in waiting
    ]
    who = ", ".join(told[:-1]) + " and " + told[-1] if len(told) > 1 else told[0]
    verb = "may never end"
    if goal == Property.DEADLOCK:
        verb = "waits for ever" if len(told) == 1 else "wait for ever"
    return replace(shown, waiting=waiting, failure=f"{_place(waiting[0])}{who} {verb}")


def failure(refuted: Refuted[Failure]) -> str:
    """Which assertion or access fails, and where."""
    found = refuted.evidence
    if not found.failed:
        return "an assertion fails"
    assertion = found.failed[0]
    place = f"{assertion.span.file}:{assertion.span.line}: " if assertion.span else ""
    message = assertion.message if isinstance(assertion, Assert) else ""
    text = f": {assertion.text}" if assertion.text else ""
    what = message if message.endswith("is reached") and "assert" not in message else "an assertion fails"
    if not isinstance(assertion, Assert):
        what = found.message or _wrong_access(refuted.execution, assertion)
    return f"{place}{what}{text}"


def _wrong_access(execution: Execution, instruction: Instruction) -> str:
    """What is wrong with an access outside every object, or with freeing what cannot be freed."""
    if isinstance(instruction, Free):
        return "a free of what is not the start of an allocated object"
    addresses = [e.address for e in execution.events if e.address is not None and e.span == instruction.span]
    null = any(0 <= address < NULL_PAGE for address in addresses)
    return "a null pointer is used" if null else "an access to memory outside every object"


def _event(event: Event, names: Names, found: Failure) -> WitnessEvent:
    threads = found.thread_names
    return WitnessEvent(
        label=names.label[event.number],
        thread=threads[event.thread] if event.thread < len(threads) else str(event.thread),
        number=event.thread,
        does=names.brief[event.number],
        line=event.span.line if event.span else None,
        file=event.span.file if event.span else None,
        source=event.text,
    )


def _called(names: Names, event: int) -> str:
    return names.label[event] or names.brief[event]


def _pairs(execution: Execution, name: str, names: Names) -> tuple[tuple[str, str], ...]:
    relation = execution.relations.get(name)
    if relation is None:
        return ()
    if name == "co":
        relation = relation - (relation @ relation)
    return tuple((_called(names, source), _called(names, target)) for source, target in relation.pairs())


def _with_reordering(shown: Witness, execution: Execution, program: Program, names: Names) -> Witness:
    """Why sequential consistency does not have the execution: its axiom and the cycle."""
    model = load_model("sc")
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    if not judged.violated:
        return replace(shown, reordering="")
    explanation = explain(execution, model, judged.values, judged.violated[0])
    cycle = tuple(
        Step({"from": _called(names, hop.source), "to": _called(names, hop.target), "relation": hop.label})
        for hop in explanation.hops()
    )
    return replace(
        shown, reordering=explanation_text(explanation, execution, program, model, ""), cycle=cycle
    )
