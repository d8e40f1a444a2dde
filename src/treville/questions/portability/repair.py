"""Where would full fences forbid what is new on the target?

The cycle that the source model forbids holds steps within threads that the target does not keep. A full fence
before the end of each step makes every model keep it. Fences are added for one new execution after the
other until the answer is PASS; then those that are not needed are taken away again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from treville.events.execution import Event, Execution
from treville.models.evaluate import evaluate
from treville.programs.ir import Fence, Instruction, Program, Thread
from treville.questions.portability.question import NEW, Finding, Portability
from treville.results import Span, Verdict
from treville.witness.explanation import Explanation, explain

MAX_ROUNDS = 12

# What a full fence is called in each dialect, and its tags.
FULL_FENCE: dict[str, tuple[str, frozenset[str]]] = {
    "X86": ("MFENCE", frozenset({"MFENCE"})),
    "X86_64": ("mfence", frozenset({"MFENCE"})),
    "PPC": ("sync", frozenset({"SYNC"})),
    "ARM": ("DMB", frozenset({"DMB"})),
    "AArch64": ("DMB SY", frozenset({"DMB.SY"})),
    "RISCV": ("fence rw,rw", frozenset({"Fence.rw.rw"})),
    "C": ("atomic_thread_fence(memory_order_seq_cst)", frozenset({"SC", "MFENCE"})),
    "LKMM": ("smp_mb()", frozenset({"Mb", "MB"})),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A fence goes before the instruction at `span`, and so behind the access `after`."""

    thread: int
    span: Span
    before: str
    after: str
    after_span: Span | None


Ask = Callable[[Program], Portability]


def explain_finding(finding: Finding) -> Explanation:
    """The shortest evidence against the execution under the model that forbids it."""
    execution, model = finding.execution, finding.forbidden_by
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    found = [explain(execution, model, judged.values, axiom) for axiom in judged.violated]
    return min(found, key=lambda explanation: len(explanation.hops()))


def suggest_fences(
    program: Program, tags: frozenset[str], ask: Ask, answer: Portability
) -> list[Place] | None:
    """Places for fences that make the answer PASS, none of which can be left out; None if fences inside
    the steps of forbidden cycles do not help. Raises `BudgetExceeded` with the questions it asks."""
    places: dict[Span, Place] = {}
    for _ in range(MAX_ROUNDS):
        fresh = {
            place.span: place
            for finding in answer.findings
            if finding.direction == NEW
            for place in _places(finding)
            if place.span not in places
        }
        if not fresh:
            return None
        places |= fresh
        answer = ask(with_fences(program, places, tags))
        if answer.verdict is Verdict.PASS:
            return _needed(program, tags, ask, places)
    return None


def _needed(program: Program, tags: frozenset[str], ask: Ask, places: dict[Span, Place]) -> list[Place]:
    for span in list(places):
        fewer = {other: place for other, place in places.items() if other != span}
        if ask(with_fences(program, fewer, tags)).verdict is Verdict.PASS:
            places = fewer
    return sorted(places.values(), key=lambda place: (place.thread, place.span.line, place.span.column))


def _places(finding: Finding) -> list[Place]:
    execution = finding.execution
    found = []
    for hop in explain_finding(finding).hops():
        source, target = execution.events[hop.source], execution.events[hop.target]
        if source.thread == target.thread and source.span != target.span and target.span is not None:
            found.append(Place(target.thread, target.span, *_neighbours(execution, source, target)))
    return found


def _neighbours(execution: Execution, source: Event, target: Event) -> tuple[str, str, Span | None]:
    """The instruction behind the fence, and the last access in front of it."""
    between = [
        event
        for event in execution.events
        if event.thread == target.thread and event.kind != "F" and event.order < target.order
    ]
    last = max(between, key=lambda event: event.order, default=source)
    return target.text, last.text, last.span


# -- inserting -------------------------------------------------------------------------------------


def with_fences(program: Program, places: Iterable[Span], tags: frozenset[str]) -> Program:
    """A copy of the program with a fence before each of the instructions at the places."""
    spans = set(places)
    return replace(
        program,
        threads=[_fenced(thread, spans, tags) for thread in program.threads],
        functions={name: _fenced(thread, spans, tags) for name, thread in program.functions.items()},
    )


def _fenced(thread: Thread, spans: set[Span], tags: frozenset[str]) -> Thread:
    """Source instructions get odd numbers, so that a fence in front of one has a number of its own."""
    code = thread.instructions
    starts = [k == 0 or code[k - 1].index != one.index for k, one in enumerate(code)]
    wanted = {one.index for one in code if one.span in spans}
    out: list[Instruction] = []
    places = []
    for starting, one in zip(starts, code, strict=True):
        places.append(len(out))
        if starting and one.index in wanted:
            out.append(Fence(tags, text="fence", span=one.span, index=2 * one.index))
        out.append(replace(one, index=2 * one.index + 1))
    places.append(len(out))
    labels = {name: places[at] for name, at in thread.labels.items()}
    return replace(thread, instructions=out, labels=labels)
