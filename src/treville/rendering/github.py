"""A report -> a line that GitHub shows beside the source: `::error file=...,line=...::...`."""

from __future__ import annotations

from treville.results.reports.report import Place, Report, Status
from treville.results.verdict import Verdict


def annotation(report: Report) -> str:
    """The annotation of a failure, an error or an unanswered question; nothing for what holds."""
    if report.status is Status.ERROR or report.verdict is Verdict.FAIL:
        kind = "error"
    elif report.verdict is Verdict.UNKNOWN and report.status is Status.UNKNOWN:
        kind = "warning"
    else:
        return ""
    about = report.about()
    title = _property(f"treville: {about}" if about else "treville")
    where = _where(report.shown_at())
    return f"::{kind} {where}title={title}::{_data(report.reason or report.verdict.value)}"


def _where(place: Place | None) -> str:
    if place is None:
        return ""
    column = f",col={place.column}" if place.column else ""
    return f"file={_property(place.file)},line={place.line}{column},"


def _data(text: str) -> str:
    """A message; line ends and percent signs are escaped as GitHub wants it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
