"""The smallest litmus tests that one memory model allows and another forbids; many models at once; and tests
that notice every relaxation of a model."""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

from treville.campaigns.compare import BOTH, EVENTS, KIND, LEFT, RIGHT, CompareQuestion, Options
from treville.campaigns.loading import load_model
from treville.campaigns.outputs import file_name, write_text
from treville.cli.arguments import positive_up_to
from treville.cli.batch import add_running, answer_batch, limits_of
from treville.programs.litmus.writing import WRITERS
from treville.programs.litmus.writing.program import LOCATIONS
from treville.questions.comparison.search import MOST_EVENTS, MOST_THREADS
from treville.rendering.compare import CompareText, MatrixText
from treville.rendering.style import Style
from treville.results.errors import InputError
from treville.results.reports.compare import CompareReport
from treville.results.reports.report import as_object
from treville.results.verdict import ExitCode

HARDWARE = ("sc", "tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv", "power2012")
"""What `--matrix` compares where no models are given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville compare`."""
    parser.add_argument("models", nargs="*", metavar="MODEL", help="two models: shipped ones, or .cat files")
    parser.add_argument(
        "--matrix", nargs="*", metavar="M", help="compare every two of these (default: models of hardware)"
    )
    parser.add_argument("--suite", metavar="M", help="tests that notice whoever relaxes an axiom of M")
    parser.add_argument(
        "--events",
        type=positive_up_to(MOST_EVENTS),
        default=EVENTS,
        metavar="N",
        help=f"reads and writes of a test at most; an exchange counts two ({EVENTS})",
    )
    parser.add_argument(
        "--threads",
        type=positive_up_to(MOST_EVENTS),
        default=MOST_THREADS,
        metavar="N",
        help=f"threads of a test at most ({MOST_THREADS})",
    )
    parser.add_argument(
        "--locations",
        type=positive_up_to(len(LOCATIONS)),
        default=None,
        metavar="N",
        help="locations of a test at most (half as many as accesses)",
    )
    parser.add_argument(
        "--dialect", choices=tuple(WRITERS), default=None, help="of the tests (that of the models)"
    )
    parser.add_argument(
        "--direction",
        choices=(BOTH, LEFT, RIGHT),
        default=BOTH,
        help="what the left model allows and the right one forbids, the other way round, or both (both)",
    )
    parser.add_argument(
        "--all", action="store_true", help="every test up to --events that has no smaller one inside"
    )
    parser.add_argument("-o", "--output", metavar="DIR", default="", help="write the tests to a folder")
    parser.add_argument(
        "--svg", metavar="DIR", default="", help="draw executions, or the hierarchy of a matrix"
    )
    add_running(parser, "pair of models")


def run(options: argparse.Namespace) -> int:
    """0 if no test tells two models apart, 1 if one does; matrices and suites end in 0."""
    modes = [options.matrix is not None, options.suite is not None, bool(options.models)]
    if sum(modes) != 1:
        raise InputError("one of these is needed: two models, --matrix, --suite", None, _USAGE)
    if options.matrix is not None:
        return int(_matrix(options))
    if options.suite is not None:
        load_model(options.suite)
        question = CompareQuestion(options.suite, "", _options(options, options.output))
        return int(answer_batch(KIND, [question], 1, [question.file], options, CompareText))
    if len(options.models) != 2:
        raise InputError(f"two models are compared, not {len(options.models)}", None, _USAGE)
    for name in options.models:
        load_model(name)
    left, right = options.models
    question = CompareQuestion(left, right, _options(options, options.output))
    return int(answer_batch(KIND, [question], 1, [question.file], options, CompareText))


_USAGE = "treville compare A B, treville compare --matrix M..., treville compare --suite M -o DIR"


def _folder(output: str, one: str, other: str) -> str:
    """Where the tests of a pair go: tests of one name may be of several dialects."""
    return str(Path(output) / file_name(f"{Path(one).stem}-{Path(other).stem}")) if output else ""


def _options(options: argparse.Namespace, folder: str) -> Options:
    return Options(
        events=options.events,
        threads=options.threads,
        locations=options.locations,
        dialect=options.dialect,
        direction=options.direction,
        all=options.all,
        folder=folder,
        svg="" if options.matrix is not None else options.svg,
        limits=limits_of(options),
    )


def _matrix(options: argparse.Namespace) -> ExitCode:
    models = list(dict.fromkeys(options.matrix or HARDWARE))
    if len(models) < 2:
        raise InputError("a matrix needs at least two models", None, _USAGE)
    for name in models:
        load_model(name)
    questions = [
        CompareQuestion(one, other, _options(options, _folder(options.output, one, other)))
        for one, other in combinations(models, 2)
    ]
    table = MatrixText(models, Style())
    kept: list[CompareReport] = []

    def shown(report: CompareReport) -> dict[str, object]:
        kept.append(report)
        found: dict[str, object] = as_object(report)
        return found

    files = [question.file for question in questions]
    code = answer_batch(KIND, questions, len(questions), files, options, lambda _: table, shown)
    table.reports = table.reports or kept
    if options.svg and len(table.reports) == len(questions):
        title = f"Tests of up to {options.events} accesses"
        write_text(Path(options.svg) / "hierarchy.svg", table.hierarchy().svg(title))
    return ExitCode.PASS if code is ExitCode.FAIL else code
