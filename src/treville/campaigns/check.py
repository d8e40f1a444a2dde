"""One program under one model -> a report: the object that `treville check --json` prints.

A C program is compiled once and checked under each model for each property; litmus tests are left to
`campaigns.check_litmus`. `answers` never raises: wrong input, exhausted budgets and bugs of Treville become
reports.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from treville.campaigns.check_task import Options
from treville.campaigns.guard import guarded, interrupted_after
from treville.campaigns.loading import TEST_SUFFIXES, load_model
from treville.campaigns.outputs import PictureName
from treville.campaigns.results import Report
from treville.campaigns.vacuity import about_model, about_program
from treville.engines import registry
from treville.engines.contract import GaveUp, Refuted
from treville.engines.task import ProgramTask
from treville.models.model import Model
from treville.models.races import defines_races
from treville.passes.program import Context
from treville.programs.c import SUFFIXES, Unit, is_program, read_unit
from treville.programs.ir import Stop
from treville.programs.loops import given_bounds, place_of
from treville.questions.reachability import Answer, reachability
from treville.results import Budget, BudgetExceeded, InputError, Notice, Verdict, as_warnings
from treville.results.properties import Error, Property
from treville.witness.naming import line_name

DEFAULT_MODEL = "sc"
_HOLDS = {
    Property.SAFETY: "no assertion can fail, no error of memory",
    Property.ASSERTION: "no assertion can fail",
    Property.MEMORY: "memory is used as it may be",
    Property.RACE: "no data race",
    Property.DEADLOCK: "no deadlock: no thread waits for ever",
    Property.LIVENESS: "every thread ends if scheduling is fair",
    Property.VALID_MEMSAFETY: "memory is used as it may be, and none is lost",
    Property.VALID_DEREF: "every access is to an object that is there",
    Property.VALID_FREE: "every free is right",
    Property.VALID_MEMTRACK: "no memory is lost",
}
_SO_FAR = {
    Property.SAFETY: "no assertion fails, no error of memory",
    Property.ASSERTION: "no assertion fails",
    Property.MEMORY: "no error of memory",
    Property.RACE: "no data race",
    Property.DEADLOCK: "no deadlock",
    Property.LIVENESS: "no thread waits for ever",
    Property.VALID_MEMSAFETY: "no error of memory",
    Property.VALID_DEREF: "no wrong access",
    Property.VALID_FREE: "no wrong free",
    Property.VALID_MEMTRACK: "no memory is lost",
}
# A violation tells more than what is not known, and that more than what holds.
_WEIGHT = {Verdict.FAIL: 2, Verdict.UNKNOWN: 1, Verdict.PASS: 0}
_KNOW_RACES = (registry.AUTO, "formulas", "eager", "lazy")


def answers(
    file: str,
    models: list[str],
    options: Options,
    pictures: Mapping[tuple[str, str], PictureName] = MappingProxyType({}),
) -> Iterator[Report]:
    """A report for each model and property, in order; the front end runs once. `pictures` names those of
    a file and a model, where a batch needs other names than usual."""
    litmus = file.endswith(TEST_SUFFIXES)
    source = cache(partial(read, file, options))
    for name in models or ["" if litmus else DEFAULT_MODEL]:
        for goal in options.properties:
            asked = replace(options, picture=pictures.get((file, name), options.picture))
            report = _blank(file, name, goal, asked)
            started = time.monotonic()
            fill = partial(_fill_litmus, file=file) if litmus else partial(_fill, source=source)
            guarded(report, partial(fill, report, name, goal, asked))
            report["seconds"] = round(time.monotonic() - started, 4)
            yield report


def _fill_litmus(report: Report, name: str, goal: Property, options: Options, file: str) -> None:
    from treville.campaigns.check_litmus import fill_litmus

    fill_litmus(report, file, name, goal, options)


def _blank(file: str, model: str, goal: Property, options: Options) -> Report:
    return {
        "file": file,
        "model": model,
        "verdict": Verdict.UNKNOWN.value,
        "property": goal,
        "violated": None,
        "bound": options.bound or None,
        "reason": "",
        "warnings": [],
        "seconds": 0.0,
        "stats": {},
        "witness": None,
        "status": "unknown",
    }


def _fill(report: Report, name: str, goal: Property, options: Options, source: Callable[[], Unit]) -> None:
    budget = Budget(options.seconds, options.memory)
    model = load_model(name, options.variants, options.bell)
    report["model"] = model.name if not name.endswith(".cat") else name
    answers: list[Answer] = []
    try:
        with interrupted_after(options.seconds):
            with budget.stage("front end"):
                unit = source()
            answers.extend(_asked_in_turn(unit, model, goal, options, budget))
        report["warnings"] = as_warnings(*(_notices(a, report["file"]) for a in answers), about_model(model))
        _conclude(report, answers, options)
        if unit.module.compiler:
            report["stats"]["compiler"] = unit.module.compiler
    except BudgetExceeded as error:
        raise _beside_what_holds(answers, error) from None
    except RecursionError:
        raise BudgetExceeded(
            "recursion, or threads that start threads, go too deep", "lower --bound"
        ) from None
    finally:
        report["stats"]["seconds"] = {name: round(spent, 3) for name, spent in budget.stages.items()}


def _asked_in_turn(
    unit: Unit, model: Model, goal: Property, options: Options, budget: Budget
) -> Iterator[Answer]:
    """The answers to all that a property asks, up to the first that is a violation. Safety asks for data
    races too, where the model says what they are; engines that do not know them leave them to the others."""
    for part in (goal, Property.RACE) if goal is Property.SAFETY and defines_races(model) else (goal,):
        context = Context(model, part, compile_to=options.compile_to, loops=options.loops)
        engine = engine_for(options, context)
        if part is not goal and engine not in _KNOW_RACES:
            engine = registry.AUTO
        answer = reachability(unit, context, options.bound or None, budget, engine, options.alias)
        yield answer
        if answer.verdict is Verdict.FAIL:
            break


def _beside_what_holds(answers: Sequence[Answer], error: BudgetExceeded) -> BudgetExceeded:
    """Where races were not decided, what was before that stands, and can be asked for alone."""
    held = [_HOLDS[answer.task.property] for answer in answers if answer.verdict is Verdict.PASS]
    if not held:
        return error
    advice = f"{error.advice}, or leave races out: --property assertion,memory"
    return BudgetExceeded(f"{', '.join(held)}; whether there are data races: {error.reason}", advice)


def _notices(answer: Answer, file: str) -> Iterator[Notice]:
    """What was assumed, and that no question was asked where the answer is not a failure."""
    task = answer.task
    yield from task.program.notices
    if Error.ASSERTION in task.property.errors and answer.verdict is not Verdict.FAIL:
        yield from about_program(task.program, file)


def engine_for(options: Options, context: Context) -> str:
    """The engine that the options ask for, by its name in the registry."""
    if (options.encoding, options.solver) != ("acyclicity", "clasp"):
        return registry.engine_name(options.encoding, options.solver)
    if options.engine != registry.AUTO:
        return options.engine
    # The machines know what the model's own architecture makes of C, and no other.
    if options.compile_to not in ("", replace(context, compile_to="").target()):
        return "lazy"
    return registry.AUTO if options.alias == "flow" else "formulas"


def read(file: str, options: Options) -> Unit:
    """A file compiled and read."""
    path = Path(file)
    if not is_program(path):
        known = ", ".join((*SUFFIXES, *TEST_SUFFIXES))
        raise InputError(f"{file}: not a program", hint=f"known endings: {known}")
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(f"cannot read {file}: it is no file")
        return read_unit(path, options.defines, options.includes, options.others)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {file}: {reason}") from None


def _conclude(report: Report, answers: Sequence[Answer], options: Options) -> None:
    """The answers as a report: a violation if there is one, else what is not known, else what holds."""
    worst = max(answers, key=lambda answer: _WEIGHT[answer.verdict])
    _tell(report, worst, options)
    if worst.verdict is Verdict.PASS:
        report["reason"] = ", ".join(_HOLDS[answer.task.property] for answer in answers)
        report["bound"] = max((a.decision.bound for a in answers if a.decision.bound), default=None)


def _tell(report: Report, answer: Answer, options: Options) -> None:
    """One answer as a report; failing executions are described and drawn."""
    decision, task = answer.decision, answer.task
    if isinstance(decision, GaveUp) and decision.bound is None:
        raise decision.error or BudgetExceeded(decision.reason, decision.advice)
    report.update(
        status="done", verdict=answer.verdict.value, bound=decision.bound, stats=dict(decision.stats)
    )
    if isinstance(decision, Refuted):
        from treville.campaigns.check_witness import show_failure

        show_failure(report, decision, task.model, task.property, options)
    elif isinstance(decision, GaveUp):
        so_far = f"{_SO_FAR[task.property]} up to the bound {decision.bound}"
        cut = _cut(decision, report["file"])
        report.update(status="unknown", reason=f"{so_far}, but {cut} ({_advice(decision, task, options)})")


def _advice(gave_up: GaveUp, task: ProgramTask, options: Options) -> str:
    """Which bound to raise; loops that were given one of their own need that."""
    bounds = given_bounds(task.program, options.loops)
    places = sorted({place for i in gave_up.cut if (place := place_of(i)) is not None})
    own = [f"--loop {line}={bounds[file, line]}" for file, line in places if (file, line) in bounds]
    return "raise " + " and ".join(own + ["--bound"] * (len(own) < len(places) or not places))


def _cut(gave_up: GaveUp, file: str) -> str:
    """What was cut at the bound, with its lines."""
    places = {(i.reason if isinstance(i, Stop) else "the loop", i.span) for i in gave_up.cut}
    named = sorted(
        f"{what} in {line_name(span.file, span.line, file)}" for what, span in places if span is not None
    )
    if not named:
        return "a loop or recursion is cut there"
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} cut there"
