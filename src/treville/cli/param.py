"""Is a protocol safe for any number of processes, on sequentially consistent or weak memory?"""

from __future__ import annotations

import argparse

from treville.campaigns.outputs import distinct_names, picture_path
from treville.campaigns.param import KIND, Options, Question
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.rendering.whole import WholeText

_MODELS = ("sc", "tso", "pso")
_SUFFIXES = (".cub",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville param`."""
    add_batch(parser, ".cub systems, folders of them, lists", "file")
    parser.add_argument(
        "--model", choices=_MODELS, default=None, help="memory model (TSO where the file says weak, else SC)"
    )
    parser.add_argument(
        "--certify", action="store_true", help="check the invariant of a PASS again with z3 (an extra)"
    )
    parser.add_argument(
        "--guesses",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="guess invariants that small instances do not contradict",
    )
    parser.add_argument(
        "--reduce",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="drop literals that visited cubes make superfluous",
    )
    parser.add_argument("--all", action="store_true", help="show all cubes of an invariant")
    parser.add_argument("--dot", metavar="FILE|DIR", default="", help="write the exploration as a DOT graph")
    parser.add_argument("--svg", metavar="FILE|DIR", default="", help="draw the exploration")


def run(options: argparse.Namespace) -> int:
    """Answer every file; the exit code follows the worst of the answers."""
    files = found_inputs(options, _SUFFIXES, "systems")
    asked = Options(
        model=options.model,
        limits=limits_of(options),
        guesses=options.guesses,
        reduce=options.reduce,
        certify=options.certify,
        all=options.all,
    )
    names = distinct_names(files)
    alone = len(files) == 1
    questions = (
        Question(
            file,
            asked,
            picture_path(options.dot, names[file], ".dot", alone=alone),
            picture_path(options.svg, names[file], ".svg", alone=alone),
            text_of(file),
        )
        for file in files
    )
    return answer_batch(KIND, questions, len(files), files, options, lambda _: WholeText())
