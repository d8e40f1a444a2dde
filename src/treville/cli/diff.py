"""Compare two result files of `treville litmus` (JSON lines) or herd7 (logs): what did B gain and lose?"""

from __future__ import annotations

import argparse

from treville.campaigns.comparison import Difference, compare, read_results
from treville.cli.arguments import add_json
from treville.cli.terminal import print_object
from treville.rendering.style import harmless
from treville.results.reports.diff import DiffReport
from treville.results.reports.report import Status, as_object
from treville.results.verdict import ExitCode, Verdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `treville diff`."""
    parser.add_argument("left", metavar="A", help="the first result file")
    parser.add_argument("right", metavar="B", help="the second result file")
    add_json(parser, "difference")
    parser.add_argument("--quiet", "-q", action="store_true", help="only the summary")


def run(options: argparse.Namespace) -> int:
    """Print the differences; 1 when there are any, 3 when some tests could not be compared."""
    comparison = compare(read_results(options.left), read_results(options.right))
    for difference in comparison.differences:
        if options.json:
            print_object(as_object(_as_report(difference)))
        elif not options.quiet:
            print(harmless(_as_text(difference)))
    real = [d for d in comparison.differences if d.comparable]
    if not options.json:
        unanswered = len(comparison.differences) - len(real)
        extra = f", {unanswered} answered by one only" if unanswered else ""
        print(f"{comparison.same} same, {len(real)} different{extra}")
    if real:
        return int(ExitCode.FAIL)
    return int(ExitCode.UNKNOWN if comparison.differences else ExitCode.PASS)


def _as_report(difference: Difference) -> DiffReport:
    result = difference.left or difference.right
    assert result is not None
    return DiffReport(
        file=result.file,
        test=result.test,
        verdict=Verdict.FAIL if difference.comparable else Verdict.UNKNOWN,
        status=Status.DONE if difference.comparable else Status.UNKNOWN,
        reason=_reason(difference),
        changes=tuple(difference.changes),
        lost=tuple(difference.lost),
        gained=tuple(difference.gained),
    )


def _reason(difference: Difference) -> str:
    if difference.left is None:
        return "only in B"
    if difference.right is None:
        return "only in A"
    if not difference.comparable:
        return "answered only in A" if difference.left.answered else "answered only in B"
    return "different answers"


def _as_text(difference: Difference) -> str:
    lines = [f"{difference.name}: {_reason(difference)}"]
    lines += [f"  {change}" for change in difference.changes]
    lines += [f"  - {state}" for state in difference.lost]
    lines += [f"  + {state}" for state in difference.gained]
    return "\n".join(lines)
