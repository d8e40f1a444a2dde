"""One program under one model -> a report: the object that `treville check --json` prints.

A C program is compiled once and checked under each model for each property; litmus tests are left to
`campaigns.check_litmus`. `answers` never raises: wrong input, exhausted budgets and bugs of Treville become
reports.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from treville.campaigns.check_task import Options
from treville.campaigns.guard import guarded, interrupted_after
from treville.campaigns.loading import load_model
from treville.campaigns.outputs import PictureName
from treville.campaigns.results import Report
from treville.engines import registry
from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.task import ProgramTask
from treville.passes.program import Context
from treville.programs.c import SUFFIXES, Unit, read_unit
from treville.programs.ir import Stop
from treville.programs.loops import given_bounds, place_of
from treville.questions.reachability import Answer, reachability
from treville.results import Budget, BudgetExceeded, InputError, Verdict
from treville.results.properties import Property
from treville.witness.naming import line_name

DEFAULT_MODEL = "sc"
LITMUS = ".litmus"
_HOLDS = {
    Property.ASSERTION: "no assertion can fail",
    Property.MEMORY: "memory is used as it may be",
    Property.RACE: "no data race",
    Property.DEADLOCK: "no deadlock: no thread waits for ever",
    Property.LIVENESS: "every thread ends if scheduling is fair",
}
_SO_FAR = {
    Property.ASSERTION: "no assertion fails",
    Property.MEMORY: "no error of memory",
    Property.RACE: "no data race",
    Property.DEADLOCK: "no deadlock",
    Property.LIVENESS: "no thread waits for ever",
}


def answers(
    file: str,
    models: list[str],
    options: Options,
    pictures: Mapping[tuple[str, str], PictureName] = MappingProxyType({}),
) -> Iterator[Report]:
    """A report for each model and property, in order; the front end runs once. `pictures` names those of
    a file and a model, where a batch needs other names than usual."""
    litmus = file.endswith(LITMUS)
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
        "bound": options.bound or None,
        "reason": "",
        "seconds": 0.0,
        "stats": {},
        "witness": None,
        "status": "unknown",
    }


def _fill(report: Report, name: str, goal: Property, options: Options, source: Callable[[], Unit]) -> None:
    budget = Budget(options.seconds, options.memory)
    model = load_model(name, options.variants, options.bell)
    report["model"] = model.name if not name.endswith(".cat") else name
    context = Context(model, goal, compile_to=options.compile_to, loops=options.loops)
    try:
        with interrupted_after(options.seconds):
            with budget.stage("front end"):
                unit = source()
            engine = engine_for(options, context)
            answer = reachability(unit, context, options.bound or None, budget, engine, options.alias)
        _conclude(report, answer, options)
    except RecursionError:
        raise BudgetExceeded(
            "recursion, or threads that start threads, go too deep", "lower --bound"
        ) from None
    finally:
        report["stats"]["seconds"] = {name: round(spent, 3) for name, spent in budget.stages.items()}


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
    if path.suffix not in SUFFIXES:
        raise InputError(f"{file}: not a program", hint=f"known endings: {', '.join((*SUFFIXES, LITMUS))}")
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(f"cannot read {file}: it is no file")
        return read_unit(path, options.defines, options.includes)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {file}: {reason}") from None


def _conclude(report: Report, answer: Answer, options: Options) -> None:
    """The answer as a report; failing executions are described and drawn."""
    decision, task = answer.decision, answer.task
    if isinstance(decision, GaveUp) and decision.bound is None:
        raise decision.error or BudgetExceeded(decision.reason, decision.advice)
    report.update(
        status="done", verdict=answer.verdict.value, bound=decision.bound, stats=dict(decision.stats)
    )
    if isinstance(decision, Refuted):
        from treville.campaigns.check_witness import show_failure

        show_failure(report, decision, task.model, task.property, options)
    elif isinstance(decision, Proved):
        report["reason"] = _HOLDS[task.property]
    else:
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
