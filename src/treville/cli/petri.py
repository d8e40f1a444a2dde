"""Is a marking of a Petri net unreachable or uncoverable, with a proof?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from treville.campaigns.journal import report_in
from treville.campaigns.outputs import distinct_names, picture_path
from treville.campaigns.petri import KIND, Options, Question
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.petri.reading import SUFFIXES
from treville.rendering.whole import WholeText
from treville.results.errors import InputError

_METHODS = ("auto", "halfspace", "traps", "backward", "forward", "guided")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville petri`."""
    add_batch(parser, ".spec or .pnml nets, folders of them, lists", "file")
    parser.add_argument(
        "--method",
        choices=_METHODS,
        default="auto",
        help="half spaces, half spaces with traps, backward, forward or guided search; auto takes turns",
    )
    question = parser.add_mutually_exclusive_group()
    question.add_argument(
        "--reach", action="store_true", help="read the target's lower bounds as one exact marking"
    )
    question.add_argument("--cover", action="store_true", help="take only the target's lower bounds")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="'p>=1, q=0'",
        help="replace the file's targets; repeat for alternatives (PNML needs one)",
    )
    parser.add_argument(
        "--check",
        metavar="CERTIFICATES",
        help="do not search: check the certificates of an earlier --json output",
    )
    parser.add_argument(
        "--svg",
        metavar="FILE|DIR",
        default="",
        help="draw the net, a counterexample step by step; for two places also the plane",
    )


def run(options: argparse.Namespace) -> int:
    """Answer every file; the exit code follows the worst of the answers."""
    files = found_inputs(options, SUFFIXES, "nets")
    stored = _stored(options.check) if options.check else None
    question = "reach" if options.reach else "cover" if options.cover else "file"
    asked = Options(options.method, tuple(options.target), question, limits_of(options))
    names = distinct_names(files)
    alone = len(files) == 1
    questions = (
        Question(
            file,
            asked,
            _picture(options.svg, names[file], alone=alone),
            text_of(file),
            None if stored is None else stored.get(file, ""),
        )
        for file in files
    )
    return answer_batch(KIND, questions, len(files), files, options, lambda _: WholeText())


def _picture(where: str, name: str, *, alone: bool) -> str:
    """A name that does not end in .svg is a folder's."""
    if where and not where.endswith(".svg"):
        return str(Path(where) / f"{name}.svg")
    return picture_path(where, name, ".svg", alone=alone)


def _stored(path: str) -> dict[str, str]:
    """The answers of an earlier output, by file."""
    reports = {}
    try:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            report = report_in(json.loads(line))
            if report is not None:
                reports[str(report["file"])] = json.dumps(report)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is not an output of `treville petri --json`: {error}") from None
    return reports
