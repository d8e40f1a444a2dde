"""Does a program behave under the target's memory model as it does under the source's?"""

from __future__ import annotations

import argparse

from treville.campaigns.loading import TEST_SUFFIXES, load_model
from treville.campaigns.outputs import PictureName, picture_names
from treville.campaigns.port import KIND, Options, PortQuestion
from treville.cli.arguments import add_bound, add_front_end
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.programs.c import SUFFIXES
from treville.rendering.port import PortText

_SUFFIXES = (*TEST_SUFFIXES, *SUFFIXES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville port`."""
    add_batch(parser, "programs, folders of them, lists", "program and target")
    parser.add_argument("--source", required=True, metavar="M", help="the model it was written for")
    parser.add_argument(
        "--target", required=True, action="append", metavar="M", help="the new model; repeat for a table"
    )
    parser.add_argument(
        "--notion", choices=("trace", "state"), default="state", help="compare executions or states (state)"
    )
    parser.add_argument(
        "--direction",
        choices=("new", "both"),
        default="new",
        help="only what the target adds, or also what it lacks (new)",
    )
    parser.add_argument(
        "--observe",
        choices=("condition", "all"),
        default="condition",
        help="states over what the test observes, or every register and location (condition)",
    )
    add_bound(parser)
    parser.add_argument(
        "--leave-loops",
        action="store_true",
        help="of .pts programs: leave loops at the bound, whatever their conditions say, as Porthos does",
    )
    parser.add_argument(
        "--engine", choices=("auto", "enumerate", "eager", "lazy"), default="auto", help="how to search"
    )
    parser.add_argument(
        "--solver",
        choices=("clasp", "certificates", "z3", "sat"),
        default="clasp",
        help="for --engine eager: clasp, or recursion by certificates (clasp)",
    )
    parser.add_argument(
        "--dead",
        action="store_true",
        help="look at syntactically dead executions first (states) or only (traces)",
    )
    parser.add_argument("--svg", metavar="DIR", default="", help="draw what differs")
    parser.add_argument(
        "--suggest",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="look for fences that make it portable (default: for a single program)",
    )
    add_front_end(parser)


def run(options: argparse.Namespace) -> int:
    """Answer for every program and target; 0 if all are portable, 1 if one is not."""
    files = found_inputs(options, _SUFFIXES, "programs")
    targets = list(dict.fromkeys(options.target))
    for name in (options.source, *targets):
        load_model(name)
    alone = len(files) == 1
    asked = Options(
        notion=options.notion,
        direction=options.direction,
        observe=options.observe,
        bound=options.bound,
        engine=options.engine,
        dead=options.dead,
        solver=options.solver,
        leave_loops=options.leave_loops,
        limits=limits_of(options),
        suggest=alone if options.suggest is None else options.suggest,
        svg=options.svg,
        defines=tuple(options.defines),
        includes=tuple(options.includes),
        others=tuple(options.others),
        sandbox=options.sandbox,
    )
    names = picture_names(files, targets) if options.svg else {}
    questions = (
        PortQuestion(
            file, options.source, target, asked, names.get((file, target), PictureName()), text_of(file)
        )
        for file in files
        for target in targets
    )
    text = lambda style: PortText(files, targets, style)  # noqa: E731 - short, and used once
    return answer_batch(KIND, questions, len(files) * len(targets), files, options, text)
