"""A litmus test as a program to check: its condition, its data races, or both.

A test passes exactly when its condition holds and, where nobody asks for the condition alone, nothing in it
is undefined: no consistent execution has a data race, if the model says what that is. Threads of litmus tests
always end, so there is nothing to ask about waiting; runs that are cut decide nothing.
"""

from __future__ import annotations

from treville.campaigns import litmus, litmus_task
from treville.campaigns.check_task import Options, Question
from treville.campaigns.check_witness import show_failure
from treville.campaigns.guard import Draft
from treville.campaigns.inputs import input_text
from treville.campaigns.kind import Telling
from treville.campaigns.loading import load_model, load_test, own_model
from treville.campaigns.vacuity import about_model, about_test
from treville.engines.contract import Failure, GaveUp, Refuted
from treville.engines.registry import AUTO, engine_name
from treville.events.execution import Execution
from treville.models.model import Model
from treville.models.races import defines_races, races_in, races_of, with_races
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.questions.executions import executions
from treville.questions.outcomes import outcomes_of_all_runs
from treville.questions.reachability import condition_in_rounds
from treville.records import replace
from treville.results import Budget, BudgetExceeded, InputError, Verdict, as_warnings
from treville.results.defaults import BOUND
from treville.results.progress import READING
from treville.results.properties import Property
from treville.results.reports.check import CheckReport, Observed
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.report import Status


def fill_litmus(draft: Draft[CheckReport], question: Question, telling: Telling[CheckReport]) -> None:
    """Complete the report of a litmus test."""
    goal = question.goal
    if question.options.engine == "rounds":
        if goal not in (Property.SAFETY, Property.ASSERTION):
            raise InputError("--engine rounds asks about the condition of a litmus test only")
        _in_rounds(draft, question, telling)
    elif goal in (Property.SAFETY, Property.ASSERTION):
        _condition(draft, question, telling)
    elif goal is Property.RACE:
        _race(draft, question, telling)
    else:
        raise InputError(
            f"{question.file}: there is nothing to ask about the {goal} of a litmus test",
            hint="all threads of a litmus test end; ask for an assertion or a race",
        )


def _condition(draft: Draft[CheckReport], question: Question, telling: Telling[CheckReport]) -> None:
    """The answer of `treville litmus` as a verdict."""
    options = question.options
    asked = litmus_task.Options(
        bound=options.bound or None,
        as_herd=False,
        engine=_engine(options),
        alias=options.alias,
        limits=options.limits,
        variants=options.variants,
        bell=options.bell,
        svg=options.svg,
        dot=options.dot,
    )
    found = litmus.answer(
        litmus_task.Question(question.file, question.model, asked, question.picture, question.text),
        Telling(
            telling.progress, lambda known: telling.provisional(_as_verdict(draft.report, known, question))
        ),
    )
    draft.report = _as_verdict(draft.report, found, question)


def _as_verdict(report: CheckReport, found: LitmusReport, question: Question) -> CheckReport:
    alone = question.goal is Property.ASSERTION
    report = replace(
        report,
        property="condition" if alone else question.goal.value,
        model=found.model,
        status=found.status,
        reason=found.reason,
        bound=found.bound,
        verdict=found.verdict,
        warnings=found.warnings,
        detail=found.detail,
        error=found.error,
        limit=found.limit,
        place=found.place,
        artifacts=found.artifacts,
    )
    if found.observation is None:
        return report
    observed = Observed(condition=found.condition_text, observation=found.observation)
    report = replace(report, stats={"states": len(found.states)}, observed=observed)
    report = _judged(report, found, [] if alone else _undefined(found, question.options))
    undecided = found.condition_holds and found.unfinished and not alone
    if undecided and report.verdict is Verdict.PASS and _races_count(found, question.options):
        reason = f"{report.reason}, but a loop was cut at the bound {found.bound}: races are not decided"
        report = replace(
            report, verdict=Verdict.UNKNOWN, status=Status.UNKNOWN, reason=f"{reason} (raise --bound)"
        )
    return report


def _judged(report: CheckReport, found: LitmusReport, races: list[str]) -> CheckReport:
    """The verdict: races first, then the condition."""
    holds = found.condition_holds
    if races:
        reason = f"data race ({', '.join(races)}); {_observed(found)}"
        race = Property.RACE.value
        return replace(report, verdict=Verdict.FAIL, violated=race, status=Status.DONE, reason=reason)
    if holds is None:
        return replace(report, verdict=Verdict.UNKNOWN, status=Status.UNKNOWN)
    return replace(
        report,
        verdict=Verdict.PASS if holds else Verdict.FAIL,
        status=Status.DONE,
        violated=None if holds else "condition",
        reason=_observed(found),
    )


def _undefined(found: LitmusReport, options: Options) -> list[str]:
    """The data races that some execution has, by the names of the model's flags."""
    if not _races_count(found, options):
        return []
    model = load_model(found.model, options.variants, options.bell)
    return sorted({axiom.name for axiom in races_of(model)} & set(found.flags))


def _races_count(found: LitmusReport, options: Options) -> bool:
    return defines_races(load_model(found.model, options.variants, options.bell))


def _engine(options: Options) -> str:
    if (options.encoding, options.solver) != ("acyclicity", "clasp"):
        return engine_name(options.encoding, options.solver)
    return AUTO if options.alias == "flow" else "eager"


def _observed(found: LitmusReport) -> str:
    holds = {True: "holds", False: "does not hold", None: "is not decided"}[found.condition_holds]
    return f"{found.condition} {holds} (observed: {found.observation})"


# -- runs in rounds -------------------------------------------------------------------------------------


def _in_rounds(draft: Draft[CheckReport], question: Question, telling: Telling[CheckReport]) -> None:
    """The condition as an assertion of a whole program."""
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        test = load_test(input_text(question.file, question.text), question.file)
        name = question.model or own_model(test)
        draft.report = replace(draft.report, model=name, property="condition")
        model = load_model(name, options.variants, options.bell)
    found = condition_in_rounds(test, model, options.bound or None, budget, options.rounds)
    draft.report = replace(draft.report, stats=dict(found.stats))
    if isinstance(found, GaveUp):
        raise found.error or BudgetExceeded(found.reason, found.advice)
    reached = isinstance(found, Refuted)
    holds = reached == (test.quantifier is Quantifier.EXISTS)
    draft.report = replace(
        draft.report,
        status=Status.DONE,
        verdict=Verdict.PASS if holds else Verdict.FAIL,
        violated=None if holds else "condition",
        bound=found.bound,
        reason=f"{test.quantifier.value} {'holds' if holds else 'does not hold'}",
    )
    if isinstance(found, Refuted) and not holds:
        telling.provisional(draft.report)
        show_failure(draft, found, model, Property.ASSERTION, question, telling)
        draft.report = replace(draft.report, violated="condition")


# -- data races -----------------------------------------------------------------------------------------


def _race(draft: Draft[CheckReport], question: Question, telling: Telling[CheckReport]) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        test = load_test(input_text(question.file, question.text), question.file)
        name = question.model or own_model(test)
        draft.report = replace(draft.report, model=name)
        model = _racing(test, load_model(name, options.variants, options.bell))
    warnings = as_warnings(test.program.notices, about_model(model), about_test(test))
    found = outcomes_of_all_runs(test, model, options.bound or None, budget, _engine(options))
    raised = sorted({axiom.name for axiom in races_of(model)} & set(found.flags))
    stats = {"states": len(found.states)}
    draft.report = replace(
        draft.report, status=Status.DONE, stats=stats, bound=found.bound, warnings=warnings
    )
    if raised:
        reason = f"data race ({', '.join(raised)})"
        draft.report = replace(
            draft.report, verdict=Verdict.FAIL, reason=reason, violated=Property.RACE.value
        )
        _show(draft, test, model, question, budget, telling)
    elif found.unfinished:
        reason = f"no data race up to the bound {found.bound}, but a loop was cut there (raise --bound)"
        draft.report = replace(draft.report, status=Status.UNKNOWN, reason=reason)
    else:
        draft.report = replace(draft.report, verdict=Verdict.PASS, reason="no data race")


def _racing(test: LitmusTest, model: Model) -> Model:
    """The model with a notion of races; only C has one under models that do not say."""
    if test.dialect not in ("C", "PTS") and not races_of(model):
        raise InputError(
            f"{test.file}: {model.name} does not say what a data race of a test in assembly is",
            hint="data races are a notion of C, or of a model with a flag for them",
        )
    return with_races(model)


def _show(
    draft: Draft[CheckReport],
    test: LitmusTest,
    model: Model,
    question: Question,
    budget: Budget,
    telling: Telling[CheckReport],
) -> None:
    """The first consistent execution with a race, if executions can be listed in time."""
    telling.provisional(draft.report)
    try:
        execution = _racing_execution(test, model, draft.report.bound or BOUND, budget)
    except BudgetExceeded:
        return
    if execution is not None:
        names = tuple(thread.name for thread in test.program.threads)
        refuted = Refuted(execution, Failure(test.program, names))
        show_failure(draft, refuted, model, Property.RACE, question, telling)


def _racing_execution(test: LitmusTest, model: Model, bound: int, budget: Budget) -> Execution | None:
    for judged in executions(test, model, "allowed", bound, budget):
        if races_in(judged.evaluation):
            return judged.execution
    return None
