"""A litmus test as a program to check: its condition, or its data races.

A test passes exactly when its condition holds: the answer of `treville litmus` as a verdict. It has a race
when some consistent execution raises the model's flag. Threads of litmus tests always end, so there is
nothing to ask about waiting.
"""

from __future__ import annotations

from treville.campaigns import litmus, litmus_task
from treville.campaigns.check_task import Options
from treville.campaigns.check_witness import show_failure
from treville.campaigns.inputs import read_text
from treville.campaigns.loading import load_model, load_test, own_model
from treville.campaigns.results import Report
from treville.engines.contract import Failure, Refuted
from treville.engines.registry import AUTO, engine_name
from treville.events.execution import Execution
from treville.models.model import Model
from treville.models.races import races_in, races_of, with_races
from treville.programs.litmus.test import LitmusTest
from treville.questions.executions import executions
from treville.questions.outcomes import outcomes
from treville.results import Budget, BudgetExceeded, InputError, Verdict
from treville.results.defaults import BOUND
from treville.results.properties import Property


def fill_litmus(report: Report, file: str, model: str, goal: Property, options: Options) -> None:
    """Complete the report of a litmus test."""
    if goal == Property.ASSERTION:
        _condition(report, file, model, options)
    elif goal == Property.RACE:
        _race(report, file, model, options)
    else:
        raise InputError(
            f"{file}: there is nothing to ask about the {goal} of a litmus test",
            hint="all threads of a litmus test end; ask for an assertion or a race",
        )


def _condition(report: Report, file: str, model: str, options: Options) -> None:
    """The answer of `treville litmus` as a verdict."""
    asked = litmus_task.Options(
        bound=options.bound or BOUND,
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
    report.update(property="condition", bound=asked.bound, status=found["status"], reason=found["reason"])
    report["model"] = found["model"]
    report.update({key: found[key] for key in ("seconds", "verdict", "detail", "internal") if key in found})
    if found["status"] == "done":
        report["stats"] = {"states": len(found["states"])}
        report["witness"] = {"condition": found["condition_text"], "observation": found["observation"]}
        report["reason"] = found["reason"] or _observed(found)


def _engine(options: Options) -> str:
    if (options.encoding, options.solver) != ("acyclicity", "clasp"):
        return engine_name(options.encoding, options.solver)
    return AUTO if options.alias == "flow" else "eager"


def _observed(found: Report) -> str:
    holds = "holds" if found["holds"] else "does not hold"
    return f"{found['condition']} {holds} (observed: {found['observation']})"


# -- data races -----------------------------------------------------------------------------------------


def _race(report: Report, file: str, name: str, options: Options) -> None:
    bound, budget = options.bound or BOUND, Budget(options.seconds, options.memory)
    test = load_test(read_text(file), file)
    report.update(model=name or own_model(test), bound=bound)
    model = _racing(test, load_model(report["model"], options.variants, options.bell))
    found = outcomes(test, model, bound, budget, _engine(options))
    raised = sorted({axiom.name for axiom in races_of(model)} & set(found.flags))
    report.update(status="done", stats={"states": len(found.states)})
    if raised:
        report.update(verdict=Verdict.FAIL.value, reason=f"data race ({', '.join(raised)})")
        _show(report, test, model, options, budget)
    elif found.bound_reached:
        reason = f"no data race up to the bound {bound}, but a loop was cut there (raise --bound)"
        report.update(status="unknown", reason=reason)
    else:
        report.update(verdict=Verdict.PASS.value, reason="no data race")


def _racing(test: LitmusTest, model: Model) -> Model:
    """The model with a notion of races; only C has one under models that do not say."""
    if test.dialect != "C" and not races_of(model):
        raise InputError(
            f"{test.file}: {model.name} does not say what a data race of a test in assembly is",
            hint="data races are a notion of C, or of a model with a flag for them",
        )
    return with_races(model)


def _show(report: Report, test: LitmusTest, model: Model, options: Options, budget: Budget) -> None:
    """The first consistent execution with a race, if executions can be listed in time."""
    try:
        execution = _racing_execution(test, model, options.bound or BOUND, budget)
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
