"""Changes of a source in reports: as they are typed, and what each of them forbids."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Hop, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenExecution:
    """An execution in which the property fails: with the change an axiom of the model forbids it, or, for a
    data race, the accesses are ordered. `failure` is what goes wrong in it. Where no change forbids it,
    `text` says whether it is an interleaving."""

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
