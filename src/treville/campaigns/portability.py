"""One program and a pair of models -> a report: the object that `treville port --json` prints.

`answer` never raises: wrong input, exhausted budgets and bugs of Treville become reports with the status
`error` or `unknown`, so that one bad file does not end a batch.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from treville.campaigns.inputs import read_text
from treville.campaigns.litmus import load_model, load_test, state_object
from treville.campaigns.pool import Limits, Pool, can_fork
from treville.campaigns.results import Report
from treville.campaigns.walk import Candidate, scene_of
from treville.programs.litmus.test import LitmusTest
from treville.results import Budget, BudgetExceeded, InputError, TrevilleError, Verdict
from treville.witness.words import execution_text, explanation_text

if TYPE_CHECKING:
    from treville.questions.portability import Finding, Portability, Question
    from treville.questions.portability.repair import Place


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville port` was asked to do with every program."""

    notion: str = "state"
    direction: str = "new"
    observe: str = "condition"
    bound: int = 2
    engine: str = "auto"
    dead: bool = False
    seconds: float | None = None
    memory: int | None = None
    explain: bool = False
    suggest: bool = False
    svg: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One file and a pair of models."""

    file: str
    source: str
    target: str
    options: Options = field(default_factory=Options)


def run_batch(
    files: Iterable[str], source: str, targets: list[str], options: Options, jobs: int
) -> Iterator[Report]:
    """A report for each file and target, in order."""
    tasks = (Task(file, source, target, options) for file in files for target in targets)
    limited = options.seconds is not None or options.memory is not None
    if not can_fork() or (jobs <= 1 and not limited):
        yield from map(answer, tasks)
        return
    import treville.questions.portability  # noqa: F401 - so that forked workers share it

    seconds = None if options.seconds is None else options.seconds * 1.1 + 0.5
    memory = None if options.memory is None else int(options.memory * 1.1) + 50_000_000
    yield from Pool(answer, lost, jobs, Limits(seconds, memory)).map(tasks)


def answer(task: Task) -> Report:
    """The report of a task."""
    started = time.monotonic()
    report = _blank(task)
    try:
        _fill(report, task)
    except BudgetExceeded as error:
        advice = f" ({error.advice})" if error.advice else ""
        report.update(status="unknown", reason=f"{error.reason}{advice}")
    except MemoryError:
        report.update(status="unknown", reason="out of memory (raise --memory)")
    except RecursionError:
        report.update(status="error", reason=f"{task.file}:1:1: the input is nested too deeply")
    except InputError as error:
        place = f"{error.span}: " if error.span else ""
        report.update(status="error", reason=f"{place}{error.message}", detail=str(error))
    except TrevilleError as error:
        report.update(status="error", reason=str(error), detail=str(error))
    except Exception as error:
        import os

        if os.environ.get("TREVILLE_TRACEBACK"):
            raise
        reason = f"internal error: {type(error).__name__}: {error}"
        report.update(status="error", reason=reason, internal=True)
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
        "complete": None,
        "bound": options.bound,
        "engine": "",
        "dead": options.dead,
        "differences": None,
        "findings": [],
        "seconds": 0.0,
    }


# -- the answer ------------------------------------------------------------------------------------


def _fill(report: Report, task: Task) -> None:
    from treville.questions.portability import Question, observed_test, portability

    options = task.options
    budget = Budget(options.seconds, options.memory)
    test = load_test(read_text(task.file), task.file)
    report["test"] = test.name
    question = Question(
        load_model(task.source), load_model(task.target), options.notion, options.direction,
        options.observe, options.bound, options.engine, options.dead,
    )  # fmt: skip
    found = portability(test, question, budget)
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
        report["reason"] = f"a loop was cut at the bound {options.bound} (raise --bound)"
    shown = observed_test(test, question)
    report["findings"] = [_described(finding, shown, task) for finding in found.findings]
    if options.suggest and found.verdict is Verdict.FAIL:
        report["suggestion"] = _suggestion(test, question, found, budget)


def _described(finding: Finding, test: LitmusTest, task: Task) -> Report:
    """A finding for people: the state, and which axiom forbids the execution."""
    from treville.questions.portability.repair import explain_finding

    explanation = explain_finding(finding)
    model, execution = finding.forbidden_by, finding.execution
    if task.options.svg:
        _draw(finding, test, task)
    return {
        "direction": finding.direction,
        "state": state_object(test, finding.state),
        "allowed_by": finding.allowed_by.name,
        "forbidden_by": model.name,
        "axiom": explanation.axiom.name,
        "cycle": [
            {"from": hop.source, "to": hop.target, "relation": hop.label, "via": list(hop.via)}
            for hop in explanation.hops()
        ],
        "execution": execution_text(execution, test.program),
        "text": explanation_text(explanation, execution, test.program, model),
    }


def _draw(finding: Finding, test: LitmusTest, task: Task) -> None:
    from treville.models.evaluate import evaluate
    from treville.questions.portability.repair import explain_finding
    from treville.witness import svg

    execution, model = finding.execution, finding.forbidden_by
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    candidate = Candidate(execution, False, judged.violated, judged.values, explain_finding(finding))
    scene = scene_of(candidate, test, model)
    scene.subtitle = f"allowed by {finding.allowed_by.name}, {scene.subtitle}"
    models = f"{Path(task.source).stem}-{Path(task.target).stem}"
    name = re.sub(r"[^\w.+\-]", "_", f"{test.name}-{models}-{finding.direction}").lstrip(".")
    path = Path(task.options.svg) / f"{name[:120]}.svg"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg.draw(scene), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None


def _suggestion(test: LitmusTest, question: Question, found: Portability, budget: Budget) -> Report:
    """Fences that would make the program portable, or why there are none to suggest."""
    from treville.questions.portability import portability
    from treville.questions.portability.repair import FULL_FENCE, suggest_fences

    if question.direction == "both":
        question = replace(question, direction="new")
    name, tags = FULL_FENCE[test.dialect]
    try:
        places = suggest_fences(
            test.program,
            tags,
            lambda program: portability(replace(test, program=program), question, budget),
            found,
        )
    except BudgetExceeded as error:
        return {"fence": name, "places": [], "note": f"no fences were found: {error.reason}"}
    if places is None:
        return {"fence": name, "places": [], "note": "full fences between accesses do not help"}
    return {"fence": name, "places": [_place(place) for place in places], "note": ""}


def _place(place: Place) -> Report:
    return {
        "thread": place.thread,
        "line": place.span.line,
        "before": place.before,
        "after": place.after,
    }
