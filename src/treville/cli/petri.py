"""Is a marking of a Petri net unreachable or uncoverable, with a proof?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treville.campaigns.outputs import distinct_names, write_text
from treville.cli.arguments import (
    add_inputs,
    add_jobs,
    add_json,
    add_limits,
    found_inputs,
    memory_in_bytes,
)
from treville.petri.answers import Invariant
from treville.petri.checking import check
from treville.petri.decide import Answer, answer
from treville.petri.net import Problem
from treville.petri.reading import SUFFIXES, read_problem
from treville.petri.report import as_json, as_text, evidence_from_json
from treville.results.budget import Budget
from treville.results.errors import InputError
from treville.results.verdict import EXIT_OF, ExitCode, batch_exit, report_line

_METHODS = ("auto", "halfspace", "traps", "backward", "forward", "guided")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville petri`."""
    add_inputs(parser, ".spec or .pnml nets, folders of them, lists")
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
    add_json(parser, "file")
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
    add_limits(parser, "file", 60.0)
    add_jobs(parser)


def run(options: argparse.Namespace) -> int:
    """Answer every file; the exit code follows the worst of the answers."""
    files = found_inputs(options, SUFFIXES, "nets")
    if options.check:
        return int(_check_all(files, options))
    codes = []
    for number, printed in enumerate(_results(files, options)):
        if number and not options.json:
            print()
        if printed.error:
            print(printed.error, file=sys.stderr)
        if printed.text:
            print(printed.text, flush=True)
        codes.append(printed.code)
    return int(batch_exit(codes))


@dataclass(frozen=True)
class _Printed:
    """What one file adds to the output; made in a worker, printed by the parent."""

    code: ExitCode
    text: str = ""
    error: str = ""


def _results(files: list[str], options: argparse.Namespace) -> Iterator[_Printed]:
    names = distinct_names(files)

    def answered(path: str) -> _Printed:
        return _one(path, options, names[path], alone=len(files) == 1)

    def lost(path: str, reason: str) -> _Printed:
        return _given_up(path, reason, options)

    if options.jobs == 1 or len(files) == 1:
        yield from map(answered, files)
        return
    from treville.campaigns.pool import Limits, Pool, can_fork

    if not can_fork():
        yield from map(answered, files)
        return
    # Methods watch the budget themselves; the pool ends what hangs in native code.
    memory = memory_in_bytes(options)
    limits = Limits(2 * options.timeout + 5, None if memory is None else 2 * memory)
    yield from Pool(answered, lost, options.jobs, limits).map(files)


def _problem(path: str, options: argparse.Namespace) -> Problem:
    question = "reach" if options.reach else "cover" if options.cover else "file"
    return read_problem(path, tuple(options.target), question)


def _one(path: str, options: argparse.Namespace, name: str, *, alone: bool) -> _Printed:
    """The answer about one file; wrong input and bugs become output, so that a batch goes on."""
    try:
        problem = _problem(path, options)
        result = answer(problem, options.method, Budget(options.timeout, memory_in_bytes(options)))
        if options.svg:
            _draw(result, options.svg, name, alone=alone)
    except InputError as error:
        place = f"{error.span}: " if error.span else ""
        return _failed(path, f"{place}{error.complaint}", str(error), ExitCode.INPUT, options)
    except MemoryError:
        return _given_up(path, "out of memory (raise --memory)", options)
    except Exception as error:
        if alone:
            raise
        message = f"internal error: {type(error).__name__}: {error}"
        return _failed(path, message, f"{path}: {message}", ExitCode.INTERNAL, options)
    text = report_line(as_json(result)) if options.json else as_text(result)
    return _Printed(EXIT_OF[result.verdict], text)


def _failed(path: str, reason: str, error: str, code: ExitCode, options: argparse.Namespace) -> _Printed:
    report = {"file": path, "verdict": "UNKNOWN", "reason": reason, "seconds": 0.0, "error": True}
    return _Printed(code, report_line(report) if options.json else "", error)


def _given_up(path: str, reason: str, options: argparse.Namespace) -> _Printed:
    report = {"file": path, "verdict": "UNKNOWN", "reason": reason, "seconds": options.timeout}
    text = report_line(report) if options.json else f"{path}: UNKNOWN\n  {reason}"
    return _Printed(ExitCode.UNKNOWN, text)


def _draw(result: Answer, where: str, name: str, *, alone: bool) -> None:
    from treville.petri.drawing import draw
    from treville.petri.plane import draw_plane

    path = Path(where)
    if not alone or path.is_dir() or path.suffix != ".svg":
        path = path / f"{name}.svg"
    write_text(path, draw(result.problem, result.evidence))
    if len(result.problem.net.places) == 2 and isinstance(result.evidence, Invariant):
        for half_space in result.evidence.half_spaces[:1]:
            plane = path.with_name(path.stem + "-plane.svg")
            write_text(plane, draw_plane(result.problem, half_space))


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
            report = json.loads(line)
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
