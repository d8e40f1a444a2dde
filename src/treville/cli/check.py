"""Can a program (C, LLVM IR, litmus test) fail an assertion, race, deadlock or hang under a memory model?"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from treville.analysis.alias_names import Alias
from treville.campaigns.check import DEFAULT_MODEL, KIND, is_test
from treville.campaigns.check_task import Options, Question
from treville.campaigns.loading import TEST_SUFFIXES, load_model
from treville.campaigns.outputs import PictureName, picture_names
from treville.cli.arguments import (
    add_front_end,
    add_models,
    add_pictures,
    at_least_two_nodes,
    chosen_variants,
    positive,
)
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.cli.dumps import answer_dumps
from treville.engines.registry import AUTO, NAMED, OF_FORMULAS
from treville.engines.task import RoundBounds
from treville.programs.c import SUFFIXES
from treville.programs.compile_to import TARGETS
from treville.rendering.check import CheckText
from treville.results.errors import InputError
from treville.results.properties import Property, property_of
from treville.results.reports.check import CheckReport
from treville.results.reports.report import as_object

_STAGES = ("llvm", "program", "passes", "compiled", "loops", "unrolled", "events", "relations", "formula")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville check`."""
    add_batch(
        parser, ".c, .i, .ll, .bc, .litmus and .pts files, folders of them, lists", "file, model and property"
    )
    add_models(parser, "sc; a litmus test's own")
    parser.add_argument(
        "--bound",
        "--unroll",
        type=_bound,
        default=0,
        metavar="K|auto",
        help="how often loops and recursions are unrolled (auto: deeper until the answer is conclusive)",
    )
    parser.add_argument(
        "--loop",
        action="append",
        default=[],
        metavar="[FILE:]LINE=K",
        help="a bound for the loop in that line; repeat for others (--explain-loops lists them)",
    )
    parser.add_argument(
        "--property",
        type=_properties,
        action="extend",
        default=[],
        metavar="P",
        help=f"{', '.join(Property)}; repeat or use commas for several (default: {Property.SAFETY})",
    )
    parser.add_argument(
        "--compile-to",
        metavar="ARCH",
        default="",
        help="map C11 atomics as for this architecture (default: the model's own)",
    )
    _add_search(parser)
    _add_rounds(parser)
    add_front_end(parser)
    _add_output(parser)


def _add_search(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("search")
    group.add_argument(
        "--engine",
        choices=NAMED,
        default=AUTO,
        metavar="ENGINE",
        help=f"who answers, one of {', '.join(NAMED)} (auto: as the schedule has them; states: the machines)",
    )
    group.add_argument(
        "--encoding",
        choices=("acyclicity", "clocks", "conflicts"),
        default="acyclicity",
        help="how memory models become formulas; clocks and conflicts know shipped models only",
    )
    group.add_argument(
        "--solver",
        choices=("clasp", "z3", "sat", "cadical", "z3-any", "sat-any"),
        default="clasp",
        help="who solves formulas (-any: any fixpoint of recursive definitions where that is enough)",
    )
    group.add_argument(
        "--alias",
        choices=("flow", "andersen", "none"),
        default="flow",
        help="which analysis tells the solver where pointers may point (for comparison)",
    )


def _add_rounds(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("bounds of --engine rounds (default: larger until conclusive)")
    group.add_argument(
        "--rounds", type=positive, default=0, metavar="R", help="how often each thread goes on"
    )
    group.add_argument(
        "--timestamps", type=positive, default=0, metavar="K", help="times at which writes get to memory"
    )
    group.add_argument(
        "--nodes", type=at_least_two_nodes, default=0, metavar="N", help="writes of a location in its list"
    )
    group.add_argument("--bits", type=positive, default=0, metavar="W", help="bits of an int (default: 32)")


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("executions and stages")
    add_pictures(group, "failing executions")
    group.add_argument("--graphml", metavar="DIR", default="", help="write SV-COMP witnesses of failures")
    group.add_argument("--stats", action="store_true", help="how large the problem was")
    group.add_argument("--dump", choices=_STAGES, metavar="STAGE", help=f"print {', '.join(_STAGES)}")
    group.add_argument("--explain-loops", action="store_true", help="say which loops need a bound, and why")
    group.add_argument(
        "--executions",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="show failing executions (default: for a single file and model, and with --json)",
    )


def _properties(text: str) -> list[Property]:
    return [_property(name.strip()) for name in text.split(",")]


def _property(name: str) -> Property:
    if name == "no-overflow":
        raise argparse.ArgumentTypeError("no-overflow is not supported: arithmetic wraps around")
    try:
        return property_of(name)
    except ValueError:
        known = ", ".join(Property)
        raise argparse.ArgumentTypeError(f"unknown property {name!r}: choose from {known}") from None


def _bound(text: str) -> int:
    return 0 if text == "auto" else positive(text)


def _refuse_contradictions(options: argparse.Namespace, bounds: RoundBounds) -> None:
    """Options that do not go together."""
    usual = (options.encoding, options.solver) == ("acyclicity", "clasp")
    if options.engine not in (AUTO, "eager") and not usual:
        raise InputError(f"--engine {options.engine} works with the default encoding and solver only")
    if options.engine != "rounds" and bounds != RoundBounds():
        raise InputError("--rounds, --timestamps, --nodes and --bits are bounds of --engine rounds")
    if options.encoding != "acyclicity" and options.solver.endswith("-any"):
        raise InputError(f"--encoding {options.encoding} has no recursive definitions: leave out -any")
    if options.alias != "flow" and (options.engine not in (AUTO, *OF_FORMULAS) or not usual):
        raise InputError(f"--alias is for {', '.join(OF_FORMULAS)}, with their own encoding and solver")
    if not usual and not all(goal.is_about_failures for goal in options.property):
        raise InputError(
            "other encodings and solvers know assertions and memory only", None, "leave out --property"
        )


def run(options: argparse.Namespace) -> int:
    """Check every file under every model; the exit code is that of the batch."""
    files = found_inputs(options, (*SUFFIXES, *TEST_SUFFIXES), "programs")
    bounds = RoundBounds(options.rounds, options.timestamps, options.nodes, options.bits)
    _refuse_contradictions(options, bounds)
    models = list(dict.fromkeys(options.model))
    asked = _options(options, bounds)
    for name in models:
        load_model(name, asked.variants, asked.bell)
    goals = tuple(dict.fromkeys(options.property)) or (Property.SAFETY,)
    if options.dump or options.explain_loops:
        return _dump(files, models, goals[0], asked, options)
    names = picture_names(files, models) if options.svg or options.dot or options.graphml else {}
    questions = (
        Question(file, model, goal, asked, names.get((file, model), PictureName()), text_of(file))
        for file in files
        for model in models or [_own_model(file)]
        for goal in goals
    )
    about_each = max(1, len(models)) * len(goals)
    executions = len(files) == 1 and about_each == 1 if options.executions is None else options.executions
    return answer_batch(
        KIND,
        questions,
        len(files) * about_each,
        files,
        options,
        lambda style: CheckText(about_each, style, stats=options.stats, executions=executions),
        lambda report: _shown(report, options),
    )


def _options(options: argparse.Namespace, rounds: RoundBounds) -> Options:
    """What every question has in common."""
    return Options(
        bound=options.bound,
        loops=tuple(options.loop),
        limits=limits_of(options),
        compile_to=_target(options.compile_to),
        defines=tuple(options.defines),
        includes=tuple(options.includes),
        others=tuple(options.others),
        sandbox=options.sandbox,
        engine=options.engine,
        alias=Alias(options.alias),
        encoding=options.encoding,
        solver=options.solver,
        svg=options.svg,
        dot=options.dot,
        graphml=options.graphml,
        variants=chosen_variants(options),
        bell=options.bell,
        rounds=rounds,
    )


def _own_model(file: str) -> str:
    """A litmus test has a model of its own."""
    return "" if is_test(file, text_of(file)) else DEFAULT_MODEL


def _shown(report: CheckReport, options: argparse.Namespace) -> dict[str, Any]:
    """What scripts get to see: all, but for the execution itself where it is not wanted."""
    shown: dict[str, Any] = as_object(report)
    if options.executions is False and report.witness is not None:
        shown["witness"] = {"failure": report.witness.failure}
    return shown


def _target(name: str) -> str:
    if name and name not in TARGETS:
        raise InputError(f"unknown architecture '{name}'", None, f"known are {', '.join(TARGETS)}")
    return name


def _dump(
    files: list[str], models: list[str], goal: Property, asked: Options, options: argparse.Namespace
) -> int:
    from treville.cli.check_dump import dump
    from treville.cli.dump_test import dump_test

    stage = options.dump or "loops"

    def made(file: str, name: str) -> Callable[[], str]:
        text = text_of(file)
        if is_test(file, text):
            return partial(dump_test, file, name, stage, asked.bound, asked.variants, asked.bell, text)
        return partial(dump, Question(file, name or DEFAULT_MODEL, goal, asked, text=text), stage)

    return answer_dumps(files, models or [""], stage, made, options)
