"""Is a marking of a Petri net unreachable or uncoverable, with a proof?"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from treville.campaigns.journal import report_in
from treville.campaigns.outputs import distinct_names, picture_path
from treville.campaigns.petri import KIND, Options, Question
from treville.cli.batch import add_batch, answer_batch, found_inputs, limits_of, text_of
from treville.petri.checking import check
from treville.petri.net import Problem
from treville.petri.reading import SUFFIXES, read_problem
from treville.petri.report import evidence_from_json
from treville.rendering.whole import WholeText
from treville.results.budget import Budget
from treville.results.errors import InputError
from treville.results.verdict import ExitCode, batch_exit

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
    if options.check:
        return int(_check_all(files, options))
    question = "reach" if options.reach else "cover" if options.cover else "file"
    asked = Options(options.method, tuple(options.target), question, limits_of(options))
    names = distinct_names(files)
    questions = (
        Question(file, asked, _picture(options.svg, names[file], alone=len(files) == 1), text_of(file))
        for file in files
    )
    return answer_batch(KIND, questions, len(files), files, options, lambda _: WholeText())


def _picture(where: str, name: str, *, alone: bool) -> str:
    """A name that does not end in .svg is a folder's."""
    if where and not where.endswith(".svg"):
        return str(Path(where) / f"{name}.svg")
    return picture_path(where, name, ".svg", alone=alone)


def _problem(path: str, options: argparse.Namespace) -> Problem:
    question = "reach" if options.reach else "cover" if options.cover else "file"
    return read_problem(path, tuple(options.target), question, text_of(path))


def _check_all(files: list[str], options: argparse.Namespace) -> ExitCode:
    """Check stored certificates against the nets, file by file."""
    stored = _stored(options.check)
    codes = []
    for path in files:
        if path not in stored:
            print(f"{path}: UNKNOWN\n  {options.check} holds nothing about this file")
            codes.append(ExitCode.UNKNOWN)
            continue
        codes.append(_check_one(path, stored[path], options))
    return batch_exit(codes)


def _stored(path: str) -> dict[str, dict[str, object]]:
    reports = {}
    try:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            report = report_in(json.loads(line))
            if report is not None:
                reports[str(report["file"])] = report
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is not an output of `treville petri --json`: {error}") from None
    return reports


def _check_one(path: str, report: dict[str, object], options: argparse.Namespace) -> ExitCode:
    data = report.get("certificate") or report.get("counterexample")
    if data is None:
        print(f"{path}: UNKNOWN\n  the stored answer has no certificate")
        return ExitCode.UNKNOWN
    try:
        problem = _problem(path, options)
        evidence = evidence_from_json(problem, data)
    except InputError as error:
        print(error, file=sys.stderr)
        return ExitCode.INPUT
    complaint = check(problem, evidence, Budget(options.timeout))
    if complaint:
        print(f"{path}: the certificate is wrong\n  {complaint}")
        return ExitCode.FAIL
    print(f"{path}: the {'certificate' if 'certificate' in report else 'firing sequence'} is right")
    return ExitCode.PASS
