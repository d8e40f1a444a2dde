"""The answer of `treville repair`: changes of a source, as they are typed, and what each of them forbids."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Hop, Report, absent
from treville.results.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenExecution:
    """An execution in which the property fails: with the change an axiom of the model forbids it, or, for a
    data race, the accesses are ordered. `failure` is what goes wrong in it."""

    model: str
    failure: str
    axiom: str | None = absent()
    cycle: tuple[Hop, ...] | None = absent()
    execution: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """What stood at a place (nothing before a new fence) and what stands there now (nothing: it is gone)."""

    file: str
    line: int
    column: int
    kind: str
    before: str
    after: str
    cost: int
    forbids: ForbiddenExecution | None = None


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
