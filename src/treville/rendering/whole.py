"""Reports whose text was made where they were made: parameterised systems and Petri nets."""

from __future__ import annotations

from typing import Protocol

from treville.results.reports.report import Status
from treville.results.verdict import Verdict


class Whole(Protocol):
    """A report that has its text."""

    @property
    def file(self) -> str:
        """The input."""

    @property
    def status(self) -> Status:
        """Whether there is an answer."""

    @property
    def verdict(self) -> Verdict:
        """The answer."""

    @property
    def reason(self) -> str:
        """Why."""

    @property
    def text(self) -> str:
        """The answer in full."""


class PlainText:
    """The text of each report, and nothing beside it."""

    def add(self, report: Whole) -> str:
        """The text, or why there is none; errors are told elsewhere."""
        if report.status is Status.ERROR:
            return ""
        return f"{report.text or f'{report.file}: {report.reason}'}\n"

    def finish(self) -> str:
        """Nothing is left."""
        return ""


class WholeText:
    """A block for each file."""

    def __init__(self) -> None:
        self._first = True

    def add(self, report: Whole) -> str:
        """A file's block, behind an empty line if it is not the first."""
        if report.status is Status.ERROR:
            return ""
        text = report.text or f"{report.file}: {report.verdict.value}\n  {report.reason}"
        before = "" if self._first else "\n"
        self._first = False
        return f"{before}{text}\n"

    def finish(self) -> str:
        """Nothing is left."""
        return ""
