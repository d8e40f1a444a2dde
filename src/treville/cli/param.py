"""Is a protocol safe for any number of processes, on sequentially consistent or weak memory?"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from treville.campaigns.inputs import read_text
from treville.campaigns.outputs import distinct_names, write_text
from treville.cli.arguments import add_inputs, add_json, add_limits, found_inputs, memory_in_bytes
from treville.parameterised.backward.search import Progress, Search
from treville.parameterised.certificate.check import certify
from treville.parameterised.decide import Answer, decide
from treville.parameterised.drawing import dot, svg
from treville.parameterised.language.resolve import read_system
from treville.parameterised.report import as_json, as_text
from treville.results import EXIT_OF, Budget, ExitCode, InputError, Verdict, batch_exit, report_line

_MODELS = ("sc", "tso", "pso")
_SUFFIXES = (".cub",)
_SECONDS_BETWEEN_REPORTS = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville param`."""
    add_inputs(parser, ".cub systems, folders of them, lists")
    parser.add_argument(
        "--model", choices=_MODELS, default=None, help="memory model (TSO where the file says weak, else SC)"
    )
    add_json(parser, "file")
    add_limits(parser, "file", 60.0, 1000)
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
    parser.add_argument(
        "--progress", action="store_true", help="report nodes, queue and depth on standard error"
    )


def run(options: argparse.Namespace) -> int:
    """Answer every file; the exit code follows the worst of the answers."""
    files = found_inputs(options, _SUFFIXES, "systems")
    codes = []
    names = distinct_names(files)
    for number, path in enumerate(files):
        if number and not options.json:
            print()
        codes.append(_one(path, options, names[path], alone=len(files) == 1))
    return int(batch_exit(codes))


def _one(path: str, options: argparse.Namespace, name: str, *, alone: bool) -> ExitCode:
    try:
        system = read_system(read_text(path), path, options.model)
    except InputError as error:
        return _refuse(path, error, options)
    budget = Budget(options.timeout, memory_in_bytes(options))
    answer = decide(
        system, budget, approximate=options.guesses, reduce=options.reduce, progress=_progress(options)
    )
    certificate = _certify(answer, options) if options.certify and answer.verdict is Verdict.PASS else ""
    if options.json:
        report = as_json(answer)
        print(report_line({**report, "certificate": certificate} if certificate else report), flush=True)
    else:
        print(as_text(answer, everything=options.all), flush=True)
        if certificate:
            print(f"  {certificate}")
    _draw(answer, options, name, alone=alone)
    return EXIT_OF[answer.verdict]


def _refuse(path: str, error: InputError, options: argparse.Namespace) -> ExitCode:
    print(error, file=sys.stderr)
    if options.json:
        place = f"{error.span}: " if error.span else ""
        report = {"file": path, "verdict": "UNKNOWN", "reason": f"{place}{error.complaint}", "error": True}
        print(report_line(report))
    return ExitCode.INPUT


def _progress(options: argparse.Namespace) -> Progress | None:
    if not options.progress and not sys.stderr.isatty():
        return None
    last = time.monotonic()

    def show(search: Search) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_REPORTS:
            last = time.monotonic()
            waiting = search.pushed - len(search.taken)
            print(
                f"nodes {len(search.explored)}, queue {waiting}, depth {search.deepest}",
                file=sys.stderr,
                flush=True,
            )

    return show


def _certify(answer: Answer, options: argparse.Namespace) -> str:
    outcome = certify(answer, Budget(options.timeout, None))
    if outcome.right is False:
        answer.verdict, answer.reason = Verdict.UNKNOWN, outcome.text
    return outcome.text


def _draw(answer: Answer, options: argparse.Namespace, name: str, *, alone: bool) -> None:
    for where, ending, make in ((options.dot, ".dot", dot), (options.svg, ".svg", svg)):
        if not where:
            continue
        path = Path(where)
        if not alone or path.is_dir():
            path = path / (name + ending)
        write_text(path, make(answer))
