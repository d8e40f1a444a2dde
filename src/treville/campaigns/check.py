"""One program under one model -> a report: the object that `treville check --json` prints.

A C program is compiled once and checked under each model; a litmus test passes exactly when its condition
holds. `answers` never raises: wrong input, exhausted budgets and bugs of Treville become reports.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treville.campaigns.guard import guarded
from treville.campaigns.results import Report
from treville.models.model import Model
from treville.programs.ir import Program, Stop
from treville.results import Budget, InputError, Verdict

if TYPE_CHECKING:
    from treville.questions.reachability import Answer
    from treville.solving.reachability import Reachability

AUTO = 0
DEFAULT_MODEL = "sc"
PROPERTIES = ("assertion",)
LITMUS = ".litmus"


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville check` was asked to do with every file. `bound` AUTO deepens until conclusive."""

    bound: int = AUTO
    seconds: float | None = None
    memory: int | None = None
    compile_to: str = ""
    property: str = "assertion"
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    engine: str = "auto"
    encoding: str = "acyclicity"
    solver: str = "clasp"
    svg: str = ""
    dot: str = ""
    graphml: str = ""
    variants: tuple[str, ...] = ()
    bell: str = ""


def answers(file: str, models: list[str], options: Options) -> Iterator[Report]:
    """A report for each model, in order; the front end runs once."""
    if file.endswith(LITMUS):
        for name in models or [""]:
            yield _litmus(file, name, options)
        return
    loaded: dict[int, Program] = {}
    for name in models or [DEFAULT_MODEL]:
        report = _blank(file, name, options)
        started = time.monotonic()
        guarded(report, partial(_fill, report, file, name, options, loaded))
        report["seconds"] = round(time.monotonic() - started, 4)
        yield report


def _blank(file: str, model: str, options: Options) -> Report:
    return {
        "file": file,
        "model": model,
        "verdict": Verdict.UNKNOWN.value,
        "property": options.property,
        "bound": options.bound or None,
        "reason": "",
        "seconds": 0.0,
        "stats": {},
        "witness": None,
        "status": "unknown",
    }


# -- litmus tests ---------------------------------------------------------------------------------------


def _litmus(file: str, model: str, options: Options) -> Report:
    """The answer of `treville litmus` as a verdict."""
    from treville.campaigns import litmus

    asked = litmus.Options(
        bound=options.bound or 2,
        engine=_litmus_engine(options),
        seconds=options.seconds,
        memory=options.memory,
        variants=options.variants,
        bell=options.bell,
        svg=options.svg,
        dot=options.dot,
    )
    found = litmus.answer(litmus.Task(file, model, asked))
    report = _blank(file, found["model"], options)
    report.update(property="condition", bound=asked.bound, status=found["status"], reason=found["reason"])
    report.update({key: found[key] for key in ("seconds", "verdict", "detail", "internal") if key in found})
    if found["status"] == "done":
        report["stats"] = {"states": len(found["states"])}
        report["witness"] = {"condition": found["condition_text"], "observation": found["observation"]}
        report["reason"] = found["reason"] or _condition(found)
    return report


def _litmus_engine(options: Options) -> str:
    if options.solver != "clasp":
        return f"{options.encoding}:{options.solver}"
    return "auto" if options.encoding == "acyclicity" else options.encoding


def _condition(found: Report) -> str:
    holds = "holds" if found["holds"] else "does not hold"
    return f"{found['condition']} {holds} (observed: {found['observation']})"


# -- programs -------------------------------------------------------------------------------------------


def _fill(report: Report, file: str, name: str, options: Options, loaded: dict[int, Program]) -> None:
    from treville.campaigns.litmus import load_model
    from treville.programs.compile_to import target_of
    from treville.questions.reachability import Search, reachability

    budget = Budget(options.seconds, options.memory)
    model = load_model(name, options.variants, options.bell)
    report["model"] = model.name if not name.endswith(".cat") else name
    # The machine with store buffers knows what the model's own architecture makes of C, and no other.
    own = options.compile_to in ("", target_of(model.name, model.base_names()))
    engine = options.engine if own or options.engine != "auto" else "lazy"
    search = Search(engine, options.encoding, options.solver)
    at_bound = partial(_compiled_at, file, model, options, loaded, budget)
    try:
        answer = reachability(at_bound, model, options.bound or None, budget, search)
        _conclude(report, answer, options)
    finally:
        report["stats"]["seconds"] = {name: round(spent, 3) for name, spent in budget.stages.items()}


def _compiled_at(
    file: str, model: Model, options: Options, loaded: dict[int, Program], budget: Budget, bound: int
) -> Program:
    with budget.stage("front end"):
        return compiled(file, model, bound, options, loaded)


def compiled(
    file: str, model: Model, bound: int, options: Options, loaded: dict[int, Program] | None = None
) -> Program:
    """The program of a file as the model's architecture runs it; recursion is inlined to the bound."""
    from treville.programs.compile_to import compile_program, target_of
    from treville.questions.fences import refuse_unknown_fences_of

    loaded = {} if loaded is None else loaded
    program = loaded.get(bound)
    if program is None:
        program = loaded[bound] = load(file, bound, options)
    target = options.compile_to or target_of(model.name, model.base_names())
    result = compile_program(program, target)
    refuse_unknown_fences_of([*result.threads, *result.functions.values()], model)
    return result


def load(file: str, bound: int, options: Options) -> Program:
    """The program IR of a file."""
    from treville.programs.c import SUFFIXES, load_program

    path = Path(file)
    if path.suffix not in SUFFIXES:
        raise InputError(f"{file}: not a program", hint=f"known endings: {', '.join((*SUFFIXES, LITMUS))}")
    if not path.is_file():
        raise InputError(f"cannot read {file}: no such file")
    try:
        return load_program(path, bound, options.defines, options.includes)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from None


def _conclude(report: Report, answer: Answer, options: Options) -> None:
    """The answer as a report; failing executions are checked again and drawn."""
    found, bound = answer.found, answer.bound
    report.update(status="done", verdict=answer.verdict.value, bound=bound, stats=dict(found.stats))
    if found.execution is not None:
        from treville.campaigns.check_witness import witness

        report["witness"] = witness(found, answer.program, answer.model)
        report["reason"] = report["witness"]["failure"]
        _pictures(report, found.execution, answer.program, answer.model, options)
    elif answer.verdict is Verdict.PASS:
        report["reason"] = "no assertion can fail"
    else:
        where = f"no assertion fails up to the bound {bound}, but {_cut(found)} (raise --bound)"
        report.update(status="unknown", reason=where)


def _cut(found: Reachability) -> str:
    """What was cut at the bound, with its lines."""
    places = {(i.reason if isinstance(i, Stop) else "the loop", i.span) for i in found.cut}
    named = sorted(f"{what} in line {span.line}" for what, span in places if span is not None)
    if not named:
        return "a loop or recursion is cut there"
    return f"{', '.join(named)} {'is' if len(named) == 1 else 'are'} cut there"


def _pictures(report: Report, execution: Any, program: Program, model: Model, options: Options) -> None:
    """Draw the failing execution, and write it as a witness."""
    stem = re.sub(r"[^\w.+\-]", "_", f"{Path(report['file']).stem}-{model.name}")
    if options.graphml:
        _write(options.graphml, f"{stem}.graphml", _graphml(report, model))
    if not options.svg and not options.dot:
        return
    from treville.witness import dot, svg
    from treville.witness.scene import make_scene

    scene = make_scene(execution, program)
    scene.title = f"{Path(report['file']).name} under {model.name}"
    scene.subtitle = report["reason"]
    for folder, ending, draw in ((options.svg, "svg", svg.draw), (options.dot, "dot", dot.draw)):
        if folder:
            _write(folder, f"{stem}.{ending}", draw(scene))


def _graphml(report: Report, model: Model) -> str:
    from treville import __version__
    from treville.witness.graphml import Step, draw

    shown = report["witness"]
    events = {event["label"]: event for event in shown["events"]}
    order = shown["interleaving"] or sorted(events, key=lambda label: events[label]["number"])
    steps = [Step(e["number"], e["thread"], e["line"]) for e in (events[label] for label in order)]
    return draw(steps, report["file"], Path(report["file"]).read_bytes(), model.name, __version__)


def _write(folder: str, name: str, text: str) -> None:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write below {folder}: {error.strerror or error}") from None
