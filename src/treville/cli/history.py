"""Could this recorded run happen under a consistency level: SC, TSO, causal, PRAM, ...?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from treville.campaigns.history import KIND
from treville.campaigns.history_task import Options, Question
from treville.campaigns.inputs import STANDARD_INPUT, read_text, standard_input
from treville.campaigns.outputs import distinct_names
from treville.campaigns.run import run as answered
from treville.cli.arguments import positive_up_to
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.cli.terminal import print_object
from treville.histories import LEVELS, Level, find_level
from treville.histories.complexity import COMPLEXITY, complexity_lines, complexity_report
from treville.histories.generate import generate, mutate
from treville.histories.hardness import read_dimacs, reduce_formula
from treville.histories.hierarchy import weakest_violated
from treville.histories.history import Value
from treville.histories.report import level_text, overview_text
from treville.histories.values import parse_scalar
from treville.records import replace
from treville.results import ExitCode, InputError
from treville.results.reports.history import HistoryReport
from treville.results.reports.report import Status, as_object

_SUFFIXES = (".jsonl", ".json", ".edn", ".csv", ".tsv", ".history", ".log")
_MOST_BYTES = 100_000_000
_MOST_OPERATIONS = 10_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville history`."""
    add_batch(parser, "histories, folders of them, lists", "file and level", optional=True)
    parser.add_argument(
        "--level", action="append", default=[], metavar="NAME[,NAME]", help="levels to check (default: all)"
    )
    parser.add_argument(
        "--model", metavar="FILE.cat", help="check against a memory model (a shipped name or a cat file)"
    )
    parser.add_argument(
        "--algorithm",
        choices=("auto", "polynomial", "saturation", "sat", "sat-transitive"),
        default="auto",
        help="how to decide (auto picks by the history's size and says which)",
    )
    parser.add_argument(
        "--initial",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="initial value of a key, * for all others (default: 0 for all)",
    )
    parser.add_argument("--svg", metavar="FILE|DIR", help="draw the history, or its failing part")
    parser.add_argument(
        "--explain",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="look for a minimal failing part of a FAIL",
    )
    parser.add_argument(
        "--complexity", action="store_true", help="how hard levels are to check (paper 004, Figure 3.4)"
    )
    _add_making(parser)


def _add_making(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("making histories (JSON lines on standard output)")
    count = positive_up_to(_MOST_OPERATIONS)
    group.add_argument("--generate", metavar="LEVEL", help="a random history that the level allows")
    group.add_argument("--operations", type=count, default=100, metavar="N", help="operations (100)")
    group.add_argument("--processes", type=count, default=3, metavar="N", help="processes (3)")
    group.add_argument("--keys", type=count, default=2, metavar="N", help="keys (2)")
    group.add_argument("--values", type=count, metavar="N", help="values for each key (default: unique)")
    group.add_argument("--seed", type=int, default=0, help="seed of the random choices (0)")
    group.add_argument("--mutate", type=count, metavar="N", help="then change the values of N reads")
    group.add_argument(
        "--from-cnf", metavar="FILE", help="the history of a DIMACS formula: passes exactly if satisfiable"
    )
    group.add_argument(
        "--reduction",
        choices=("slow", "gwo", "cc", "pso"),
        default="slow",
        help="the weak end of the formula's range of levels (slow)",
    )


def run(options: argparse.Namespace) -> int:
    """Check every history, or make one; the exit code follows the verdicts."""
    if options.generate or options.from_cnf:
        return _make(options)
    levels = [find_level(name) for given in options.level for name in given.split(",") if name.strip()]
    if options.complexity:
        return _complexity(levels, options)
    if levels and options.model:
        raise InputError("--level and --model ask two questions", hint="give one of them")
    if options.model:
        from treville.campaigns.loading import load_model

        load_model(options.model)
    if not options.inputs:
        raise InputError("no histories given", hint="give files, or folders with " + ", ".join(_SUFFIXES))
    files = found_inputs(options, _SUFFIXES, "histories")
    asked = Options(
        limits=limits_of(options),
        algorithm=options.algorithm,
        initial=tuple(_initial(text) for text in options.initial),
        explain=options.explain and (options.json or bool(levels or options.model)),
    )
    overview = not (levels or options.model)
    names = [level.name for level in levels or LEVELS.values()]
    questions = list(_questions(files, names, asked, options, overview=overview))
    text = lambda _: HistoryText(options, overview=overview)  # noqa: E731 - short, and used once
    return answer_batch(KIND, questions, len(questions), files, options, text)


def _questions(
    files: Sequence[str], names: Sequence[str], asked: Options, options: argparse.Namespace, *, overview: bool
) -> Iterator[Question]:
    """What is asked about each file: levels, all levels, or a model."""
    stems = distinct_names(files)
    for file in files:
        picture = _picture(options.svg, stems[file], several=len(files) > 1)
        if options.model:
            yield Question(file, None, options.model, asked, text=text_of(file))
            continue
        for name in names:
            drawn = picture
            if picture and (overview or len(names) > 1):
                whole = Path(picture)
                drawn = str(whole.with_name(f"{whole.stem}-{name.lower()}{whole.suffix}"))
            options_here = replace(asked, svg=drawn)
            yield Question(file, name, "", options_here, not overview, text_of(file), len(files) == 1)


def _picture(where: str | None, name: str, *, several: bool) -> str:
    """In a batch every file has a picture of its own."""
    if not where:
        return ""
    path = Path(where)
    if path.is_dir():
        return str(path / f"{name}.svg")
    return str(path.with_name(f"{path.stem}-{name}{path.suffix}") if several else path)


class HistoryText:
    """A block for each level, or one for each file with all levels."""

    def __init__(self, options: argparse.Namespace, *, overview: bool) -> None:
        self._options = options
        self._overview = overview
        self._reports: list[HistoryReport] = []

    def add(self, report: HistoryReport) -> str:
        """The level's block, or that of the file before when all of its levels are known."""
        if not self._overview:
            return "" if report.status is Status.ERROR else "\n".join(level_text(report)) + "\n"
        text = self._block() if self._reports and self._reports[0].file != report.file else ""
        if report.status is not Status.ERROR:
            self._reports.append(report)
        return text

    def _block(self) -> str:
        reports, self._reports = self._reports, []
        return "\n".join([*overview_text(reports), *self._border(reports)]) + "\n" if reports else ""

    def _border(self, reports: Sequence[HistoryReport]) -> Iterator[str]:
        """Why the weakest violated levels fail: asked for again, since only they need an explanation."""
        if not self._options.explain:
            return
        border = weakest_violated({report.about(): report.verdict for report in reports})
        asked = Options(
            limits=limits_of(self._options),
            algorithm=self._options.algorithm,
            initial=tuple(_initial(text) for text in self._options.initial),
        )
        file = reports[0].file
        again = [Question(file, name, "", asked, text=text_of(file)) for name in border]
        for report in answered(KIND, again):
            yield f"  why not {report.about()}:"
            yield from ("  " + line for line in report.because)

    def finish(self) -> str:
        """The last file's block."""
        return self._block()


def _complexity(levels: list[Level], options: argparse.Namespace) -> int:
    """Figure 3.4 of the thesis, or some rows of it."""
    for level in levels:
        if level.name not in COMPLEXITY:
            raise InputError(f"the complexity of {level.name} is not in the thesis's table")
    names = [level.name for level in levels] or list(COMPLEXITY)
    if options.json:
        for name in names:
            print_object(as_object(complexity_report(name)))
    else:
        print("\n".join(complexity_lines(names)))
    return int(ExitCode.PASS)


def _initial(text: str) -> tuple[str, Value]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"--initial {text}: expected KEY=VALUE")
    return key, parse_scalar(value)


def _formula(file: str) -> str:
    return standard_input() if file == STANDARD_INPUT else read_text(file, _MOST_BYTES)


def _make(options: argparse.Namespace) -> int:
    """Write a generated history as JSON lines."""
    if options.from_cnf:
        history = reduce_formula(options.reduction, read_dimacs(_formula(options.from_cnf), options.from_cnf))
    else:
        level = find_level(options.generate)
        history = generate(
            level,
            options.operations,
            options.processes,
            options.keys,
            options.seed,
            options.values,
            level.needs_times,
        )
        if options.mutate:
            history = mutate(history, options.seed, options.mutate)
    if history.default_initial != 0:
        keys = dict.fromkeys(operation.key for operation in history.operations)
        print(json.dumps({"initial": dict.fromkeys(keys, history.default_initial)}))
    for operation in history.operations:
        record = {
            "process": operation.process,
            "type": "write" if operation.is_write else "read",
            "key": operation.key,
            "value": operation.value,
        }
        if operation.start is not None:
            record |= {"invoke": operation.start, "complete": operation.end}
        print(json.dumps(record))
    return int(ExitCode.PASS)
