"""A program with threads as one sequential C program with the same bounded behaviour under SC, TSO or PSO."""

from __future__ import annotations

import argparse
from pathlib import Path

from treville.campaigns.loading import TEST_SUFFIXES
from treville.campaigns.outputs import distinct_names
from treville.campaigns.sequentialise import KIND, Options, Question
from treville.cli.arguments import add_front_end, at_least_two_nodes, positive
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.programs.c import SUFFIXES
from treville.programs.narrow import WIDTH
from treville.questions.sequentialisation import SMAS, Wanted
from treville.rendering.whole import WholeText
from treville.sequential.dialects import Dialect
from treville.sequential.rounds import Bounds

_MODELS = ("sc", "tso", "pso")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville sequentialise`."""
    add_batch(parser, ".c, .i, .ll, .bc, .litmus and .pts files, folders of them, lists", "file and model")
    parser.add_argument(
        "--model", "-m", action="append", choices=_MODELS, default=[], help="sc, tso or pso; repeat (tso)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE|DIR", default="", help="where to write (default: standard output)"
    )
    parser.add_argument(
        "--dialect",
        choices=[dialect.value for dialect in Dialect],
        default=Dialect.CBMC.value,
        help="how to assume, assert and guess: for CBMC, for SV-COMP's tools, or by lot in plain C (cbmc)",
    )
    parser.add_argument(
        "--sma", choices=sorted(SMAS), default="lists", help="lists of writes, or plain store buffers (lists)"
    )
    _add_bounds(parser)
    add_front_end(parser)


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("bounds")
    group.add_argument(
        "--bound", "--unroll", type=positive, default=2, metavar="U", help="of loops and recursion (2)"
    )
    group.add_argument(
        "--rounds", type=positive, default=2, metavar="R", help="how often each thread goes on (2)"
    )
    group.add_argument(
        "--timestamps", type=positive, default=2, metavar="K", help="times at which writes get to memory (2)"
    )
    group.add_argument(
        "--nodes",
        type=at_least_two_nodes,
        default=2,
        metavar="N",
        help="writes of a location in its list (2)",
    )
    group.add_argument("--bits", type=positive, default=WIDTH, metavar="W", help=f"bits of an int ({WIDTH})")
    group.add_argument(
        "--addresses",
        type=positive,
        default=0,
        metavar="A",
        help="locations behind pointers that a run may use (all)",
    )
    group.add_argument(
        "--blocks", type=positive, default=0, metavar="M", help="objects that a run may allocate (all)"
    )


def run(options: argparse.Namespace) -> int:
    """Write every program; the exit code is 0 if all were written."""
    files = found_inputs(options, (*SUFFIXES, *TEST_SUFFIXES), "programs")
    models = tuple(dict.fromkeys(options.model)) or ("tso",)
    wanted = Wanted(
        Bounds(options.rounds, options.timestamps, options.nodes),
        options.bound,
        min(options.bits, WIDTH),
        Dialect(options.dialect),
        options.sma,
        options.addresses,
        options.blocks,
    )
    asked = Options(
        wanted,
        tuple(options.defines),
        tuple(options.includes),
        tuple(options.others),
        limits_of(options),
    )
    names = distinct_names(files)
    alone = len(files) * len(models) == 1
    questions = (
        Question(file, model, asked, _output(options.output, names[file], model, alone), text_of(file))
        for file in files
        for model in models
    )
    return answer_batch(KIND, questions, len(files) * len(models), files, options, lambda _: WholeText())


def _output(where: str, name: str, model: str, alone: bool) -> str:
    """The file of one program: the given one, or one in the given folder."""
    if not where:
        return ""
    if alone and not Path(where).is_dir():
        return where
    return str(Path(where) / f"{name}-{model}.c")
