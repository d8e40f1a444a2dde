"""The answer of `treville repair`: changes of a source, as they are typed, and what each of them forbids."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Report, absent
from treville.results.reports.source_changes import ForbiddenExecution, SourceChange
from treville.results.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The changed source under one model, read and checked from the beginning."""

    model: str
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport(Report):
    """`optimal` is relative to the places that were looked at (`sites`) and to the bound; `cost` is that of
    the changes, with `weaken` that of all that is left. `needed` are the fences and orders that weakening
    leaves; `failing` an execution that no change forbids."""

    test: str = ""
    models: tuple[str, ...]
    property: str
    weaken: bool
    bound: int | None = None
    sites: int | None = None
    changes: tuple[SourceChange, ...] = ()
    needed: tuple[SourceChange, ...] = ()
    cost: int | None = None
    optimal: bool | None = None
    diff: str = ""
    checks: tuple[Checked, ...] = ()
    questions: int = 0
    failing: ForbiddenExecution | None = absent()

    def about(self) -> str:
        """The property and the models."""
        return f"{self.property} under {', '.join(self.models)}"
