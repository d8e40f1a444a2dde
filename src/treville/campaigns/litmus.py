"""One litmus test under one model -> a report: the object that `--json` prints and text is rendered from.

`answer` never raises: wrong input, exhausted budgets and bugs of Treville become reports with the status
`error` or `unknown`, so that one bad file does not end a batch.
"""

from __future__ import annotations

import hashlib
import time

from treville.campaigns.guard import guarded
from treville.campaigns.inputs import read_text
from treville.campaigns.litmus_task import Options, Task
from treville.campaigns.loading import load_model, load_test, own_model
from treville.campaigns.results import Key, Report
from treville.engines.registry import OUTCOMES
from treville.engines.schedule import OUTCOME_SLICES
from treville.programs.litmus.states import state_object, state_order, state_satisfies
from treville.programs.litmus.test import Quantifier
from treville.questions.outcomes import outcomes
from treville.results import Budget, BudgetExceeded, InputError, Verdict


def answer(task: Task) -> Report:
    """The report of a task."""
    started = time.monotonic()
    report = _blank(task)
    guarded(report, lambda: _fill(report, task, started))
    if report["status"] != "done":
        report["seconds"] = round(time.monotonic() - started, 4)
    return report


def warm_up() -> None:
    """Make the engines once: forked workers share what that imports, and no task's time is spent on it."""
    for each in OUTCOME_SLICES:
        OUTCOMES[each.engine]()


def lost(task: Task, reason: str) -> Report:
    """The report of a task whose process was stopped or died."""
    return {**_blank(task), "status": "unknown", "reason": reason, "seconds": task.options.seconds or 0.0}


def question_key(task: Task) -> Key:
    """Which stored result answers the task; compare `results.key_of`."""
    options = task.options
    try:
        digest = _digest(read_text(task.file))
    except InputError:
        digest = ""
    variants = _variant(options)
    return (task.file, task.model, str(options.bound), variants, options.engine, digest)


def _blank(task: Task) -> Report:
    return {
        "file": task.file,
        "test": "",
        "model": task.model,
        "verdict": Verdict.UNKNOWN.value,
        "status": "unknown",
        "condition": None,
        "holds": None,
        "observation": None,
        "states": [],
        "flags": [],
        "positive": None,
        "negative": None,
        "seconds": 0.0,
        "reason": "",
        "engine": "",
        "bound": task.options.bound,
        "variant": _variant(task.options),
        "asked": task.model,
        "engine_asked": task.options.engine,
        "digest": "",
    }


def _variant(options: Options) -> str:
    """What changes the meaning of a model beside its name."""
    return ",".join([*options.variants, *([f"bell={options.bell}"] if options.bell else [])])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# -- the answer ------------------------------------------------------------------------------------


def _fill(report: Report, task: Task, started: float) -> None:
    options = task.options
    text = read_text(task.file)
    report["digest"] = _digest(text)
    budget = Budget(options.seconds, options.memory)
    test = load_test(text, task.file)
    report.update(test=test.name, condition=test.quantifier, condition_text=test.condition_text)
    report["model"] = task.model or own_model(test)
    model = load_model(report["model"], options.variants, options.bell)
    found = outcomes(test, model, options.bound, budget, options.engine, options.alias)
    good = [state for state in found.states if state_satisfies(test, state)]
    negated = test.quantifier is Quantifier.NOT_EXISTS
    report.update(
        status="done",
        holds=found.holds,
        observation=found.observation,
        states=[state_object(test, state) for state in sorted(found.states, key=state_order)],
        flags=list(found.flags),
        positive=found.positive,
        negative=found.negative,
        positive_states=len(good) if not negated else len(found.states) - len(good),
        negative_states=len(found.states) - len(good) if not negated else len(good),
        engine=found.engine,
        bound_reached=found.bound_reached,
        states_complete=found.complete,
        seconds=round(time.monotonic() - started, 4),
    )
    report["verdict"], report["reason"] = _verdict(found.holds, found.flags, found.bound_reached)
    if options.explain or options.executions or options.svg or options.dot:
        from treville.campaigns.walk import walk

        try:
            walk(report, task, test, model, budget)
        except BudgetExceeded as error:
            report["note"] = f"not all executions were looked at: {error.reason}"


def _verdict(holds: bool | None, flags: list[str], bound_reached: bool) -> tuple[str, str]:
    if holds is None:
        return Verdict.UNKNOWN.value, f"undefined behaviour ({', '.join(flags)})"
    reason = "a loop was cut at the bound (raise --bound)" if bound_reached else ""
    return (Verdict.PASS if holds else Verdict.FAIL).value, reason
