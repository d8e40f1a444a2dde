"""Reports -> JUnit's XML, which CI servers read: a test case for each question.

A FAIL is a failure, wrong input or a bug an error, UNKNOWN is skipped: it says neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from treville.drawing.markup import escape, quoteattr
from treville.results.reports.report import Report, Status
from treville.results.verdict import Verdict

# What XML 1.0 cannot hold, not even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r -퟿-�\U00010000-\U0010ffff]")


def junit(command: str, reports: Sequence[Report]) -> str:
    """One test suite with the answers of a command."""
    errors = sum(report.status is Status.ERROR for report in reports)
    failures = sum(_fails(report) for report in reports)
    skipped = sum(_is_skipped(report) for report in reports)
    seconds = sum(report.seconds for report in reports)
    counts = f'tests="{len(reports)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    head = f'<testsuite name="treville {command}" {counts} time="{seconds:.3f}">'
    cases = [_case(command, report) for report in reports]
    opening = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head]
    return "\n".join([*opening, *cases, "</testsuite>", "</testsuites>", ""])


def _fails(report: Report) -> bool:
    return report.status is not Status.ERROR and report.verdict is Verdict.FAIL


def _is_skipped(report: Report) -> bool:
    return report.status is not Status.ERROR and report.verdict is Verdict.UNKNOWN


def _case(command: str, report: Report) -> str:
    about = f" {report.about()}" if report.about() else ""
    name = quoteattr(_possible(f"{report.file}{about}"))
    head = f'<testcase classname="treville.{command}" name={name} time="{report.seconds:.3f}"'
    outcome = _outcome(report)
    return f"  {head}>{outcome}</testcase>" if outcome else f"  {head}/>"


def _outcome(report: Report) -> str:
    reason = quoteattr(_possible(report.reason))
    if report.status is Status.ERROR:
        cause = report.error.cause.value if report.error else ""
        return f'<error type="{cause}" message={reason}>{escape(_possible(report.detail))}</error>'
    if _fails(report):
        return f'<failure type="FAIL" message={reason}>{escape(_possible(report.reason))}</failure>'
    return f"<skipped message={reason}/>" if _is_skipped(report) else ""


def _possible(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
