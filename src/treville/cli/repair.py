"""Which fences and memory orders make a program right, at the least cost? Which of its own are not needed?"""

from __future__ import annotations

import argparse
from pathlib import Path

from treville.campaigns.loading import load_model
from treville.campaigns.outputs import PictureName, distinct_names, picture_names
from treville.campaigns.repair import KIND, Options, Question
from treville.cli.arguments import add_front_end, add_growing_bound, add_models, chosen_variants
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.engines.registry import AUTO, NAMED
from treville.questions.repair.c_program import Compiling
from treville.questions.repair.decide import FENCES_ONLY, ORDERS_ONLY, Wanted, checked_keep
from treville.rendering.repair import RepairText
from treville.results.properties import Property

_SUFFIXES = (".litmus", ".pts", ".c", ".i", ".cpp", ".cc", ".cxx")
_GOALS = (Property.SAFETY, Property.ASSERTION, Property.MEMORY, Property.RACE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville repair`."""
    add_batch(parser, ".c, .cpp, .litmus and .pts files, folders of them, lists", "file")
    add_models(parser, "that of the litmus test's dialect; rc11 for C, lkmm for kernel code")
    parser.add_argument(
        "--property",
        choices=[goal.value for goal in _GOALS],
        default=Property.SAFETY.value,
        help=f"what is to hold under all models ({Property.SAFETY})",
    )
    parser.add_argument(
        "--weaken", action="store_true", help="which orders and fences of a right program can be weaker"
    )
    parser.add_argument(
        "--only", choices=(FENCES_ONLY, ORDERS_ONLY), default="", help="change nothing but fences, or orders"
    )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="[FILE:]LINE[-LINE]|FILE",
        help="change nothing there; repeat for others",
    )
    parser.add_argument("--cost", metavar="FILE", default="", help="what fences and orders cost (TOML)")
    parser.add_argument("-o", "--output", metavar="FILE|DIR", default="", help="write the patch")
    add_growing_bound(parser, "loops")
    parser.add_argument(
        "--engine", choices=NAMED, default=AUTO, metavar="ENGINE", help="who checks C programs (auto)"
    )
    parser.add_argument("--svg", metavar="DIR", default="", help="draw what the changes forbid")
    add_front_end(parser)


def run(options: argparse.Namespace) -> int:
    """Answer for every program; 0 if all are right or were repaired, 1 if one cannot be."""
    files = found_inputs(options, _SUFFIXES, "programs")
    models = tuple(dict.fromkeys(options.model))
    variants = chosen_variants(options)
    for name in models:
        load_model(name, variants, options.bell)
    asked = Options(
        goal=Property(options.property),
        wanted=Wanted(options.weaken, options.only, checked_keep(options.keep)),
        costs=options.cost,
        bound=options.bound,
        engine=options.engine,
        limits=limits_of(options),
        variants=variants,
        bell=options.bell,
        svg=options.svg,
        compiling=Compiling(
            tuple(options.defines), tuple(options.includes), tuple(options.others), options.sandbox
        ),
    )
    names = distinct_names(files)
    pictures = picture_names(files, ()) if options.svg else {}
    alone = len(files) == 1
    questions = (
        Question(
            file,
            models,
            asked,
            _output(options.output, names[file], alone),
            pictures.get((file, ""), PictureName()),
            text_of(file),
        )
        for file in files
    )
    return answer_batch(KIND, questions, len(files), files, options, lambda style: RepairText(alone, style))


def _output(where: str, name: str, alone: bool) -> str:
    """The patch of one program: the given file, or one in the given folder."""
    if not where or (alone and not Path(where).is_dir()):
        return where
    return str(Path(where) / f"{name}.patch")
