"""What `--dump` and `--explain-loops` print: a stage between a program and its answer."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpReport(Report):
    """A stage of a program or test, as text."""

    stage: str = ""
    text: str = ""

    def about(self) -> str:
        """The stage."""
        return self.stage
