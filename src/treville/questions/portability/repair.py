"""Which fences would forbid what is new on the target, and where?

The cycle that the source model forbids holds steps within threads that the target does not keep. A full fence
before the end of each step makes every model keep it. Fences are added for one new execution after the
other until the answer is PASS; then those that are not needed are taken away again, and of each that is left
the weakest kind is taken that still does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from treville.engines.differences.task import NEW, Finding
from treville.events.execution import Event, Execution
from treville.events.kinds import FENCE
from treville.models.evaluate import evaluate
from treville.programs.ir import Fence, Instruction, Program, Thread
from treville.questions.portability.question import Portability
from treville.records import dataclass, replace
from treville.results import BudgetExceeded, InputError, Span, Verdict
from treville.witness.explanation import Explanation, explain

MAX_ROUNDS = 12


class FenceKind(NamedTuple):
    """A fence as it is written, its tags, and the pairs of accesses that it is there to order."""

    name: str
    tags: frozenset[str]
    orders: frozenset[str]


def _kinds(*described: tuple[str, str, str]) -> tuple[FenceKind, ...]:
    return tuple(
        FenceKind(name, frozenset(tags.split()), frozenset(orders.split()))
        for name, tags, orders in described
    )


_ALL = "RR RW WR WW"
# The fences of each dialect, weak ones first; the last one is full.
FENCES: dict[str, tuple[FenceKind, ...]] = {
    "X86": _kinds(("MFENCE", "MFENCE", _ALL)),
    "X86_64": _kinds(("mfence", "MFENCE", _ALL)),
    "PPC": _kinds(("lwsync", "LWSYNC", "RR RW WW"), ("sync", "SYNC", _ALL)),
    "ARM": _kinds(("DMB ST", "DMB.ST", "WW"), ("DMB", "DMB", _ALL)),
    "AArch64": _kinds(
        ("DMB ST", "DMB.ST", "WW"), ("DMB LD", "DMB.LD", "RR RW"), ("DMB SY", "DMB.SY", _ALL)
    ),
    "RISCV": _kinds(
        ("fence w,w", "Fence.w.w", "WW"), ("fence r,r", "Fence.r.r", "RR"),
        ("fence rw,w", "Fence.rw.w", "RW WW"), ("fence r,rw", "Fence.r.rw", "RR RW"),
        ("fence rw,rw", "Fence.rw.rw", _ALL),
    ),
    "C": _kinds(
        ("atomic_thread_fence(memory_order_release)", "REL", "RW WW"),
        ("atomic_thread_fence(memory_order_acquire)", "ACQ", "RR RW"),
        ("atomic_thread_fence(memory_order_seq_cst)", "SC MFENCE", _ALL),
    ),
    "PTS": _kinds(("lwsync", "LWSYNC", "RR RW WW"), ("sync", "SYNC", _ALL)),
    "LKMM": _kinds(
        ("smp_wmb()", "Wmb", "WW"), ("smp_rmb()", "Rmb", "RR"), ("smp_mb()", "Mb MB", _ALL)
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A fence goes before the instruction at `span`, and so behind the access `after`. `step`: the kinds of
    the accesses that it is to order."""

    thread: int
    span: Span
    before: str
    after: str
    after_span: Span | None
    step: str
    fence: FenceKind


Ask = Callable[[Program], Portability]


def explain_finding(finding: Finding) -> Explanation:
    """The shortest evidence against the execution under the model that forbids it."""
    execution, model = finding.execution, finding.forbidden_by
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    found = [explain(execution, model, judged.values, axiom) for axiom in judged.violated]
    return min(found, key=lambda explanation: len(explanation.hops()))


def suggest_fences(
    program: Program, kinds: tuple[FenceKind, ...], ask: Ask, answer: Portability
) -> list[Place] | None:
    """Fences that make the answer PASS, none of which can be left out; None if full fences inside the steps
    of forbidden cycles do not help. Raises `BudgetExceeded` with the questions it asks."""
    places: dict[Span, Place] = {}
    for _ in range(MAX_ROUNDS):
        fresh = {
            place.span: place
            for finding in answer.findings
            if finding.direction == NEW
            for place in _places(finding, kinds[-1])
            if place.span not in places
        }
        if not fresh:
            return None
        places |= fresh
        answer = ask(with_fences(program, places))
        if answer.verdict is Verdict.PASS:
            needed = _weakened(program, kinds, ask, _needed(program, ask, places))
            return sorted(needed.values(), key=lambda p: (p.span.file, p.span.line, p.span.column))
    return None


def _needed(program: Program, ask: Ask, places: dict[Span, Place]) -> dict[Span, Place]:
    for span in list(places):
        fewer = {other: place for other, place in places.items() if other != span}
        if ask(with_fences(program, fewer)).verdict is Verdict.PASS:
            places = fewer
    return places


def _weakened(
    program: Program, kinds: tuple[FenceKind, ...], ask: Ask, places: dict[Span, Place]
) -> dict[Span, Place]:
    """The same places with the first kinds that do, as far as the budget lasts. A kind that one of the
    models does not know is none."""
    for span, place in places.items():
        for kind in (kind for kind in kinds[:-1] if place.step in kind.orders):
            weaker = {**places, span: replace(place, fence=kind)}
            try:
                portable = ask(with_fences(program, weaker)).verdict is Verdict.PASS
            except InputError:
                continue
            except BudgetExceeded:
                return places
            if portable:
                places = weaker
                break
    return places


def _places(finding: Finding, kind: FenceKind) -> list[Place]:
    execution = finding.execution
    found = []
    for hop in explain_finding(finding).hops():
        source, target = execution.events[hop.source], execution.events[hop.target]
        if source.thread == target.thread and source.span != target.span and target.span is not None:
            neighbours, step = _neighbours(execution, source, target), source.kind + target.kind
            found.append(Place(target.thread, target.span, *neighbours, step, kind))
    return found


def _neighbours(execution: Execution, source: Event, target: Event) -> tuple[str, str, Span | None]:
    """The instruction behind the fence, and the last access in front of it."""
    between = [
        event
        for event in execution.events
        if event.thread == target.thread and event.kind is not FENCE and event.order < target.order
    ]
    last = max(between, key=lambda event: event.order, default=source)
    return target.text, last.text, last.span


# -- inserting -------------------------------------------------------------------------------------


def with_fences(program: Program, places: Mapping[Span, Place]) -> Program:
    """A copy of the program with the fences before the instructions at the places."""
    tags = {span: place.fence.tags for span, place in places.items()}
    return program.rewritten(lambda thread: _fenced(thread, tags))


def _fenced(thread: Thread, fences: dict[Span, frozenset[str]]) -> Thread:
    """Source instructions get odd numbers, so that a fence in front of one has a number of its own."""
    code = thread.instructions
    starts = [k == 0 or code[k - 1].index != one.index for k, one in enumerate(code)]
    wanted = {one.index: fences[one.span] for one in code if one.span in fences}
    out: list[Instruction] = []
    places = []
    for starting, one in zip(starts, code, strict=True):
        places.append(len(out))
        if starting and one.index in wanted:
            out.append(Fence(wanted[one.index], text="fence", span=one.span, index=2 * one.index))
        out.append(replace(one, index=2 * one.index + 1))
    places.append(len(out))
    labels = {name: places[at] for name, at in thread.labels.items()}
    return replace(thread, instructions=tuple(out), labels=labels)
