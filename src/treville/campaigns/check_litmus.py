"""A litmus test as a program to check: its condition, its data races, or both.

A test passes exactly when its condition holds and, where nobody asks for the condition alone, nothing in it
is undefined: no consistent execution has a data race, if the model says what that is. Threads of litmus tests
always end, so there is nothing to ask about waiting; runs that are cut decide nothing.
"""

from __future__ import annotations

from treville.campaigns import litmus, litmus_task
from treville.campaigns.check_task import Options
from treville.campaigns.check_witness import show_failure
from treville.campaigns.inputs import read_text
from treville.campaigns.loading import load_model, load_test, own_model
from treville.campaigns.results import Report
from treville.campaigns.vacuity import about_model, about_test
from treville.engines.contract import Failure, Refuted
from treville.engines.registry import AUTO, engine_name
from treville.events.execution import Execution
from treville.models.model import Model
from treville.models.races import defines_races, races_in, races_of, with_races
from treville.programs.litmus.test import LitmusTest
from treville.questions.executions import executions
from treville.questions.outcomes import outcomes_of_all_runs
from treville.results import Budget, BudgetExceeded, InputError, Verdict, as_warnings
from treville.results.properties import Property

# What a report has of that of `treville litmus`.
_SHARED = ("model", "status", "reason", "bound", "seconds", "verdict", "warnings", "detail", "internal")


def fill_litmus(report: Report, file: str, model: str, goal: Property, options: Options) -> None:
    """Complete the report of a litmus test."""
    if goal in (Property.SAFETY, Property.ASSERTION):
        _condition(report, file, model, goal, options)
    elif goal is Property.RACE:
        _race(report, file, model, options)
    else:
        raise InputError(
            f"{file}: there is nothing to ask about the {goal} of a litmus test",
            hint="all threads of a litmus test end; ask for an assertion or a race",
        )


def _condition(report: Report, file: str, model: str, goal: Property, options: Options) -> None:
    """The answer of `treville litmus` as a verdict."""
    asked = litmus_task.Options(
        bound=options.bound or None,
        as_herd=False,
        engine=_engine(options),
        alias=options.alias,
        seconds=options.seconds,
        memory=options.memory,
        variants=options.variants,
        bell=options.bell,
        svg=options.svg,
        dot=options.dot,
    )
    found = litmus.answer(litmus_task.Task(file, model, asked, options.picture))
    alone = goal is Property.ASSERTION
    report["property"] = "condition" if alone else goal
    report.update({key: found[key] for key in _SHARED if key in found})
    if found["observation"] is None:
        return
    report["stats"] = {"states": len(found["states"])}
    report["witness"] = {"condition": found["condition_text"], "observation": found["observation"]}
    _judge(report, found, [] if alone else _undefined(found, options))
    undecided = found["condition_holds"] and found["unfinished"]
    if undecided and not alone and report["verdict"] == Verdict.PASS and _races_count(found, options):
        reason = (
            f"{report['reason']}, but a loop was cut at the bound {found['bound']}: races are not decided"
        )
        report.update(verdict=Verdict.UNKNOWN.value, status="unknown", reason=f"{reason} (raise --bound)")


def _judge(report: Report, found: Report, races: list[str]) -> None:
    """The verdict: races first, then the condition."""
    holds = found["condition_holds"]
    if races:
        report.update(verdict=Verdict.FAIL.value, violated=Property.RACE.value, status="done")
        report["reason"] = f"data race ({', '.join(races)}); {_observed(found)}"
    elif holds is None:
        report.update(verdict=Verdict.UNKNOWN.value, status="unknown")
    else:
        report.update(verdict=(Verdict.PASS if holds else Verdict.FAIL).value, status="done")
        report["violated"] = None if holds else "condition"
        report["reason"] = _observed(found)


def _undefined(found: Report, options: Options) -> list[str]:
    """The data races that some execution has, by the names of the model's flags."""
    if not _races_count(found, options):
        return []
    model = load_model(found["model"], options.variants, options.bell)
    return sorted({axiom.name for axiom in races_of(model)} & set(found["flags"]))


def _races_count(found: Report, options: Options) -> bool:
    return defines_races(load_model(found["model"], options.variants, options.bell))


def _engine(options: Options) -> str:
    if (options.encoding, options.solver) != ("acyclicity", "clasp"):
        return engine_name(options.encoding, options.solver)
    return AUTO if options.alias == "flow" else "eager"


def _observed(found: Report) -> str:
    holds = {True: "holds", False: "does not hold", None: "is not decided"}[found["condition_holds"]]
    return f"{found['condition']} {holds} (observed: {found['observation']})"


# -- data races -----------------------------------------------------------------------------------------


def _race(report: Report, file: str, name: str, options: Options) -> None:
    budget = Budget(options.seconds, options.memory)
    test = load_test(read_text(file), file)
    report["model"] = name or own_model(test)
    model = _racing(test, load_model(report["model"], options.variants, options.bell))
    report["warnings"] = as_warnings(test.program.notices, about_model(model), about_test(test))
    found = outcomes_of_all_runs(test, model, options.bound or None, budget, _engine(options))
    raised = sorted({axiom.name for axiom in races_of(model)} & set(found.flags))
    report.update(status="done", stats={"states": len(found.states)}, bound=found.bound)
    if raised:
        report.update(verdict=Verdict.FAIL.value, reason=f"data race ({', '.join(raised)})")
        report["violated"] = Property.RACE.value
        _show(report, test, model, options, budget)
    elif found.unfinished:
        reason = f"no data race up to the bound {found.bound}, but a loop was cut there (raise --bound)"
        report.update(status="unknown", reason=reason)
    else:
        report.update(verdict=Verdict.PASS.value, reason="no data race")


def _racing(test: LitmusTest, model: Model) -> Model:
    """The model with a notion of races; only C has one under models that do not say."""
    if test.dialect not in ("C", "PTS") and not races_of(model):
        raise InputError(
            f"{test.file}: {model.name} does not say what a data race of a test in assembly is",
            hint="data races are a notion of C, or of a model with a flag for them",
        )
    return with_races(model)


def _show(report: Report, test: LitmusTest, model: Model, options: Options, budget: Budget) -> None:
    """The first consistent execution with a race, if executions can be listed in time."""
    try:
        execution = _racing_execution(test, model, report["bound"], budget)
    except BudgetExceeded:
        return
    if execution is not None:
        names = tuple(thread.name for thread in test.program.threads)
        refuted = Refuted(execution, Failure(test.program, names))
        show_failure(report, refuted, model, Property.RACE, options)


def _racing_execution(test: LitmusTest, model: Model, bound: int, budget: Budget) -> Execution | None:
    for judged in executions(test, model, "allowed", bound, budget):
        if races_in(judged.evaluation):
            return judged.execution
    return None
