"""One litmus test under one model -> a report: the object that `--json` prints and text is rendered from.

`answer` never raises: wrong input, exhausted budgets and bugs of Treville become reports with the status
`error` or `unknown`, so that one bad file does not end a batch.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from treville.campaigns.guard import guarded
from treville.campaigns.inputs import read_text
from treville.campaigns.litmus_task import Options, Task
from treville.campaigns.loading import load_model, load_test, own_model
from treville.campaigns.results import Key, Report
from treville.campaigns.vacuity import about_model, about_states, about_test
from treville.engines.registry import OUTCOMES
from treville.engines.schedule import OUTCOME_SLICES
from treville.models.model import Model
from treville.programs.litmus.states import state_object, state_order, state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.questions.outcomes import UNKNOWN, Outcomes, outcomes, outcomes_of_all_runs
from treville.results import Budget, BudgetExceeded, InputError, Verdict, as_warnings


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
        "warnings": [],
        "engine": "",
        "bound": task.options.bound,
        "bound_asked": task.options.bound,
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
    notices = [*test.program.notices, *about_model(model), *about_test(test)]
    report["warnings"] = as_warnings(notices)
    found = _outcomes(test, model, options, budget)
    report["warnings"] = as_warnings(notices, about_states(test, len(found.states)))
    good = [state for state in found.states if state_satisfies(test, state)]
    negated = test.quantifier is Quantifier.NOT_EXISTS
    report.update(
        status="done",
        holds=found.holds,
        condition_holds=found.condition_holds,
        observation=found.observation,
        states=[state_object(test, state) for state in sorted(found.states, key=state_order)],
        flags=list(found.flags),
        positive=found.positive,
        negative=found.negative,
        positive_states=len(good) if not negated else len(found.states) - len(good),
        negative_states=len(found.states) - len(good) if not negated else len(good),
        engine=found.engine,
        bound=found.bound,
        bound_reached=found.bound_reached,
        unfinished=found.unfinished,
        states_complete=found.complete,
        seconds=round(time.monotonic() - started, 4),
    )
    report["verdict"], report["reason"] = _verdict(found)
    if found.observation == UNKNOWN and report["verdict"] == Verdict.UNKNOWN:
        report["status"] = "unknown"
    # Only where all runs were looked at something never happens.
    options = replace(options, bound=found.bound, explain=options.explain and found.observation != UNKNOWN)
    task = replace(task, options=options)
    if options.explain or options.executions or options.svg or options.dot:
        from treville.campaigns.walk import walk

        try:
            walk(report, task, test, model, budget)
        except BudgetExceeded as error:
            report["note"] = f"not all executions were looked at: {error.reason}"


def _outcomes(test: LitmusTest, model: Model, options: Options, budget: Budget) -> Outcomes:
    if options.bound is not None and options.as_herd:
        return outcomes(test, model, options.bound, budget, options.engine, options.alias)
    return outcomes_of_all_runs(test, model, options.bound, budget, options.engine, options.alias)


def _verdict(found: Outcomes) -> tuple[str, str]:
    if found.undefined:
        return Verdict.UNKNOWN.value, f"undefined behaviour ({', '.join(found.flags)})"
    cut = f"a loop was cut at the bound {found.bound}"
    if found.condition_holds is None:
        seen = f"{len(found.states)} final state{'s' if len(found.states) != 1 else ''}"
        reason = f"{cut}, and what was explored ({seen}) does not decide (raise --bound)"
        return Verdict.UNKNOWN.value, reason
    told = found.unfinished and (found.observation != UNKNOWN or not found.complete)
    reason = f"{cut} (raise --bound)" if told else ""
    return (Verdict.PASS if found.condition_holds else Verdict.FAIL).value, reason
