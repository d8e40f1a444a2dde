"""One program and a pair of models -> a report: the object that `treville port --json` prints.

`answer` never raises: wrong input, exhausted budgets and bugs of Treville become reports with the status
`error` or `unknown`, so that one bad file does not end a batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from treville.campaigns.guard import guarded
from treville.campaigns.inputs import read_text
from treville.campaigns.loading import cannot_leave_loops, load_model, load_test
from treville.campaigns.outputs import PictureName, picture_names, write_text
from treville.campaigns.pool import Limits, Pool, can_fork
from treville.campaigns.results import Report
from treville.campaigns.vacuity import about_model, about_test
from treville.models.evaluate import evaluate
from treville.programs.c import is_program, read_unit
from treville.programs.compile_to import LANGUAGE_OF
from treville.programs.ir import Program
from treville.programs.litmus.states import state_object
from treville.programs.litmus.test import LitmusTest
from treville.questions.portability import (
    Finding,
    Portability,
    Question,
    observed_test,
    portability,
    program_portability,
    program_subject,
)
from treville.questions.portability.reordered import steps_of
from treville.questions.portability.repair import FENCES, Place, explain_finding, suggest_fences
from treville.results import Budget, BudgetExceeded, Span, Verdict, as_warnings
from treville.results.defaults import BOUND
from treville.witness.explanation import Explanation
from treville.witness.scene import make_scene
from treville.witness.words import execution_text, explanation_text, headline


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville port` was asked to do with every program."""

    notion: str = "state"
    direction: str = "new"
    observe: str = "condition"
    bound: int = BOUND
    engine: str = "auto"
    dead: bool = False
    solver: str = "clasp"
    leave_loops: bool = False
    seconds: float | None = None
    memory: int | None = None
    suggest: bool = False
    svg: str = ""
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One file and a pair of models."""

    file: str
    source: str
    target: str
    options: Options = field(default_factory=Options)
    picture: PictureName = field(default_factory=PictureName)


def run_batch(
    files: Sequence[str], source: str, targets: Sequence[str], options: Options, jobs: int
) -> Iterator[Report]:
    """A report for each file and target, in order."""
    names = picture_names(files, targets) if options.svg else {}
    tasks = (
        Task(file, source, target, options, names.get((file, target), PictureName()))
        for file in files
        for target in targets
    )
    limited = options.seconds is not None or options.memory is not None
    if not can_fork() or (jobs <= 1 and not limited):
        yield from map(answer, tasks)
        return
    seconds = None if options.seconds is None else options.seconds * 1.1 + 0.5
    memory = None if options.memory is None else int(options.memory * 1.1) + 50_000_000
    yield from Pool(answer, lost, jobs, Limits(seconds, memory)).map(tasks)


def answer(task: Task) -> Report:
    """The report of a task."""
    started = time.monotonic()
    report = _blank(task)
    guarded(report, lambda: _fill(report, task))
    report["seconds"] = round(time.monotonic() - started, 4)
    return report


def lost(task: Task, reason: str) -> Report:
    """The report of a task whose process was stopped or died."""
    return {**_blank(task), "reason": reason, "seconds": task.options.seconds or 0.0}


def _blank(task: Task) -> Report:
    options = task.options
    return {
        "file": task.file,
        "test": "",
        "source": task.source,
        "target": task.target,
        "notion": options.notion,
        "direction": options.direction,
        "observe": options.observe,
        "verdict": Verdict.UNKNOWN.value,
        "status": "unknown",
        "reason": "",
        "warnings": [],
        "complete": None,
        "bound": options.bound,
        "engine": "",
        "dead": options.dead,
        "differences": None,
        "findings": [],
        "seconds": 0.0,
    }


# -- the answer ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Asked:
    """A program and how to ask about it: about the program itself, and about versions of it with fences.
    `view` is a test with the program and its name; `state` shows a state."""

    view: LitmusTest
    ask: Callable[[Program, Question, Budget], Portability]
    state: Callable[[Finding], Report]


def _fill(report: Report, task: Task) -> None:
    options = task.options
    budget = Budget(options.seconds, options.memory)
    question = Question(
        load_model(task.source), load_model(task.target), options.notion, options.direction,
        options.observe, options.bound, options.engine, options.dead, options.solver,
    )  # fmt: skip
    compiled = is_program(Path(task.file))
    asked = _program(task) if compiled else _test(task, question)
    report["test"] = asked.view.name
    report["warnings"] = as_warnings(
        asked.view.program.notices, about_model(question.source), about_model(question.target),
        () if compiled else about_test(asked.view),
    )  # fmt: skip
    found = asked.ask(asked.view.program, question, budget)
    found.complete = found.complete and not (options.leave_loops and asked.view.program.notices)
    done = found.verdict is not Verdict.UNKNOWN
    report.update(
        status="done" if done else "unknown",
        verdict=found.verdict.value,
        reason=found.reason,
        complete=found.complete if done else None,
        engine=found.engine,
        differences=found.differences,
    )
    if done and not found.complete:
        report["reason"] = _about_bound(report)
    report["findings"] = [_described(finding, asked, task) for finding in found.findings]
    if options.suggest and found.verdict is Verdict.FAIL:
        report["suggestion"] = _suggestion(asked, question, found, budget)


def _about_bound(report: Report) -> str:
    if report["verdict"] == Verdict.PASS.value:
        return f"a loop was cut at the bound {report['bound']} (raise --bound)"
    if report["notion"] == "state":
        return (
            f"a loop was cut at the bound {report['bound']}: longer runs may reach the state on both machines"
        )
    return ""


def _test(task: Task, question: Question) -> _Asked:
    leave_after = task.options.bound if task.options.leave_loops else None
    test = load_test(read_text(task.file), task.file, leave_after)
    shown = observed_test(test, question)

    def ask(program: Program, question: Question, budget: Budget) -> Portability:
        return portability(replace(test, program=program), question, budget)

    return _Asked(test, ask, lambda finding: state_object(shown, finding.state))


def _program(task: Task) -> _Asked:
    options = task.options
    if options.leave_loops:
        raise cannot_leave_loops(task.file)
    read_text(task.file)  # a file that cannot be read is refused here, with a plain sentence
    unit = read_unit(Path(task.file), options.defines, options.includes, options.others)
    program = unit.program(options.bound)
    subject = program_subject(program)
    shown = LitmusTest(Path(task.file).stem, "C", program, observed=tuple(subject.observed))

    def ask(program: Program, question: Question, budget: Budget) -> Portability:
        return program_portability(program_subject(program), question, budget)

    def state(finding: Finding) -> Report:
        failed = finding.state[0]
        if isinstance(failed, int) and failed:
            return {"assertion": subject.assertions[failed - 1]}
        return state_object(shown, subject.final(finding.execution)[1:])

    return _Asked(shown, ask, state)


def _described(finding: Finding, asked: _Asked, task: Task) -> Report:
    """A finding for people: the state, and which axiom forbids the execution."""
    explanation = explain_finding(finding)
    model, execution, program = finding.forbidden_by, finding.execution, asked.view.program
    state = asked.state(finding)
    if task.options.svg:
        _draw(finding, asked, task)
    return {
        "direction": finding.direction,
        "state": state,
        "allowed_by": finding.allowed_by.name,
        "forbidden_by": model.name,
        "axiom": explanation.axiom.name,
        "cycle": [
            {"from": hop.source, "to": hop.target, "relation": hop.label, "via": list(hop.via)}
            for hop in explanation.hops()
        ],
        "steps": _steps(finding, explanation),
        "lines_matter": asked.view.dialect in LANGUAGE_OF,
        "execution": execution_text(execution, program),
        "text": explanation_text(explanation, execution, program, model),
    }


def _steps(finding: Finding, explanation: Explanation) -> list[Report]:
    """The pairs of accesses of one thread whose order makes up the cycle, and whether the model that allows
    the execution keeps it."""
    return [
        {
            "thread": first.thread,
            "first": _where(first.span, first.text),
            "second": _where(second.span, second.text),
            "kept": kept,
        }
        for first, second, kept in steps_of(finding, explanation)
        if first.span and second.span
    ]


def _where(span: Span, text: str) -> Report:
    shown = (text or span.line_text).strip()
    return {"file": span.file, "line": span.line, "column": span.column, "text": shown}


def _draw(finding: Finding, asked: _Asked, task: Task) -> None:
    from treville.witness import svg

    execution, model = finding.execution, finding.forbidden_by
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    explanation = explain_finding(finding)
    scene = make_scene(execution, asked.view.program, explanation, model=model, values=judged.values)
    scene.title = asked.view.name
    scene.footer = " ".join(f"{name}={value};" for name, value in asked.state(finding).items())
    scene.subtitle = f"allowed by {finding.allowed_by.name}, forbidden: {headline(explanation, model)}"
    stem = task.picture.stem(task.file, Path(task.source).stem, Path(task.target).stem)
    write_text(Path(task.options.svg) / f"{stem}-{finding.direction}.svg", svg.draw(scene))


def _suggestion(asked: _Asked, question: Question, found: Portability, budget: Budget) -> Report:
    """Fences that would make the program portable, or why there are none to suggest."""
    question = replace(question, direction="new")
    kinds = FENCES[asked.view.dialect]
    try:
        places = suggest_fences(
            asked.view.program, kinds, lambda program: asked.ask(program, question, budget), found
        )
    except BudgetExceeded as error:
        return {"places": [], "note": f"no fences were found: {error.reason}"}
    if places is None:
        return {"places": [], "note": "full fences between accesses do not help"}
    return {"places": [_place(place) for place in places], "note": ""}


def _place(place: Place) -> Report:
    """A fence goes between two accesses; the second is where it stands in the source."""
    after = {"text": place.after} if place.after_span is None else _where(place.after_span, place.after)
    return {
        "thread": place.thread,
        "fence": place.fence.name,
        "after": after,
        "before": _where(place.span, place.before),
    }
