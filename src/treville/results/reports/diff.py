"""What `treville diff` says of a test whose results differ."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport(Report):
    """`lost` and `gained` are states of the first and of the second file alone; UNKNOWN: only one of them has
    an answer."""

    test: str
    changes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
