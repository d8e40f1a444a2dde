"""Reports whose text was made where they were made: parameterised systems and Petri nets."""

from __future__ import annotations

from treville.results.reports.param import ParamReport
from treville.results.reports.petri import PetriReport
from treville.results.reports.report import Status


class WholeText:
    """A block for each file."""

    def __init__(self) -> None:
        self._first = True

    def add(self, report: ParamReport | PetriReport) -> str:
        """A file's block, behind an empty line if it is not the first."""
        if report.status is Status.ERROR:
            return ""
        text = report.text or f"{report.file}: {report.verdict.value}\n  {report.reason}"
        if isinstance(report, ParamReport) and report.certificate:
            text += f"\n  {report.certificate}"
        before = "" if self._first else "\n"
        self._first = False
        return f"{before}{text}\n"

    def finish(self) -> str:
        """Nothing is left."""
        return ""
