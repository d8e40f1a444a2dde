"""One program under one model -> a report: the object that `treville check --json` prints.

A C program is compiled once and checked under each model for each property; litmus tests are left to
`campaigns.check_litmus`. `answers` never raises: wrong input, exhausted budgets and bugs of Treville become
reports.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from treville.campaigns.guard import guarded, interrupted_after
from treville.campaigns.outputs import PictureName
from treville.campaigns.results import Report
from treville.models.model import Model
from treville.programs.ir import Program, Stop
from treville.programs.loops import given_bounds, place_of
from treville.results import Budget, BudgetExceeded, InputError, Verdict
from treville.results.properties import ASSERTION, DEADLOCK, LIVENESS, MEMORY, RACE
from treville.witness.naming import line_name

if TYPE_CHECKING:
    from treville.programs.c import Unit
    from treville.questions.reachability import Answer
    from treville.solving.reachability import Reachability

AUTO = 0
DEFAULT_MODEL = "sc"
LITMUS = ".litmus"
_HOLDS = {
    ASSERTION: "no assertion can fail",
    MEMORY: "memory is used as it may be",
    RACE: "no data race",
    DEADLOCK: "no deadlock: no thread waits for ever",
    LIVENESS: "every thread ends if scheduling is fair",
}
_SO_FAR = {
    ASSERTION: "no assertion fails",
    MEMORY: "no error of memory",
    RACE: "no data race",
    DEADLOCK: "no deadlock",
    LIVENESS: "no thread waits for ever",
}


@dataclass(slots=True)
class Loaded:
    """What the front end made of a file: the compiler runs once, and the program is made again only where
    deeper recursion changes it."""

    unit: Unit | None = None
    programs: dict[tuple[int, bool], Program] = field(default_factory=dict)

    def program(self, file: str, bound: int, options: Options, signals: bool) -> Program:
        """The program IR of the file, with recursion inlined to the bound."""
        for (known, same), program in self.programs.items():
            if same == signals and (known == bound or not _is_cut(program)):
                return program
        self.unit = self.unit or read(file, options)
        program = self.programs[bound, signals] = self.unit.program(bound, signals)
        program.loop_bounds = given_bounds(program, options.loops)
        return program


def _is_cut(program: Program) -> bool:
    return any(isinstance(i, Stop) and i.cut for i in program.instructions())


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville check` was asked to do with every file. `bound` AUTO deepens until conclusive; `loops`
    are bounds of single loops, as `programs.loops` reads them."""

    bound: int = AUTO
    loops: tuple[str, ...] = ()
    seconds: float | None = None
    memory: int | None = None
    compile_to: str = ""
    properties: tuple[str, ...] = (ASSERTION,)
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    engine: str = "auto"
    alias: str = "flow"
    encoding: str = "acyclicity"
    solver: str = "clasp"
    svg: str = ""
    dot: str = ""
    graphml: str = ""
    variants: tuple[str, ...] = ()
    bell: str = ""
    picture: PictureName = field(default_factory=PictureName)


def answers(
    file: str,
    models: list[str],
    options: Options,
    pictures: Mapping[tuple[str, str], PictureName] = MappingProxyType({}),
) -> Iterator[Report]:
    """A report for each model and property, in order; the front end runs once. `pictures` names those of
    a file and a model, where a batch needs other names than usual."""
    litmus = file.endswith(LITMUS)
    loaded = Loaded()
    for name in models or ["" if litmus else DEFAULT_MODEL]:
        for goal in options.properties:
            asked = replace(options, picture=pictures.get((file, name), options.picture))
            report = _blank(file, name, goal, asked)
            started = time.monotonic()
            fill = _fill_litmus if litmus else partial(_fill, loaded=loaded)
            guarded(report, partial(fill, report, file, name, goal, asked))
            report["seconds"] = round(time.monotonic() - started, 4)
            yield report


def _fill_litmus(report: Report, file: str, name: str, goal: str, options: Options) -> None:
    from treville.campaigns.check_litmus import fill_litmus

    fill_litmus(report, file, name, goal, options)


def _blank(file: str, model: str, goal: str, options: Options) -> Report:
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


def _fill(report: Report, file: str, name: str, goal: str, options: Options, loaded: Loaded) -> None:
    from treville.campaigns.litmus import load_model
    from treville.programs.compile_to import target_of
    from treville.questions.reachability import Search, reachability

    budget = Budget(options.seconds, options.memory)
    model = load_model(name, options.variants, options.bell)
    report["model"] = model.name if not name.endswith(".cat") else name
    # The machine with store buffers knows what the model's own architecture makes of C, and no other.
    own = options.compile_to in ("", target_of(model.shipped, model.base_names()))
    engine = options.engine if own or options.engine != "auto" else "lazy"
    search = Search(engine, options.encoding, options.solver, goal, options.alias)
    at_bound = partial(_compiled_at, file, model, goal, options, loaded, budget)
    try:
        with interrupted_after(options.seconds):
            answer = reachability(at_bound, model, options.bound or None, budget, search)
        _conclude(report, answer, options)
    except RecursionError:
        raise BudgetExceeded(
            "recursion, or threads that start threads, go too deep", "lower --bound"
        ) from None
    finally:
        report["stats"]["seconds"] = {name: round(spent, 3) for name, spent in budget.stages.items()}


def _compiled_at(
    file: str, model: Model, goal: str, options: Options, loaded: Loaded, budget: Budget, bound: int
) -> Program:
    with budget.stage("front end"):
        return compiled(file, model, bound, options, loaded, signals=goal in (DEADLOCK, LIVENESS))


def compiled(
    file: str,
    model: Model,
    bound: int,
    options: Options,
    loaded: Loaded | None = None,
    signals: bool = False,
) -> Program:
    """The program of a file as the model's architecture runs it; recursion is inlined to the bound. With
    `signals` condition variables wake up only when signalled, else at any time."""
    from treville.programs.compile_to import compile_program, target_of
    from treville.questions.fences import refuse_unknown_fences_of

    program = (loaded or Loaded()).program(file, bound, options, signals)
    target = options.compile_to or target_of(model.shipped, model.base_names())
    result = compile_program(program, target)
    refuse_unknown_fences_of([*result.threads, *result.functions.values()], model)
    return result


def read(file: str, options: Options) -> Unit:
    """A file compiled and read."""
    from treville.programs.c import SUFFIXES, read_unit

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
    """The answer as a report; failing executions are checked again and drawn."""
    found, bound = answer.found, answer.bound
    report.update(status="done", verdict=answer.verdict.value, bound=bound, stats=dict(found.stats))
    if found.execution is not None:
        from treville.campaigns.check_pictures import draw_pictures
        from treville.campaigns.check_witness import witness

        report["witness"] = witness(found, answer.program, answer.model, report["property"])
        report["reason"] = report["witness"]["failure"]
        draw_pictures(report, found.execution, answer.program, answer.model, options)
    elif answer.verdict is Verdict.PASS:
        report["reason"] = _HOLDS[report["property"]]
    else:
        so_far = f"{_SO_FAR[report['property']]} up to the bound {bound}"
        cut = _cut(found, report["file"])
        report.update(status="unknown", reason=f"{so_far}, but {cut} ({_advice(answer, options)})")


def _advice(answer: Answer, options: Options) -> str:
    """Which bound to raise; loops that were given one of their own need that."""
    bounds = given_bounds(answer.program, options.loops)
    places = sorted({place for i in answer.found.cut if (place := place_of(i)) is not None})
    own = [f"--loop {line}={bounds[file, line]}" for file, line in places if (file, line) in bounds]
    return "raise " + " and ".join(own + ["--bound"] * (len(own) < len(places) or not places))


def _cut(found: Reachability, file: str) -> str:
    """What was cut at the bound, with its lines."""
    places = {(i.reason if isinstance(i, Stop) else "the loop", i.span) for i in found.cut}
    named = sorted(
        f"{what} in {line_name(span.file, span.line, file)}" for what, span in places if span is not None
    )
    if not named:
        return "a loop or recursion is cut there"
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} cut there"
