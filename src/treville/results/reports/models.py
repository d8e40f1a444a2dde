"""What `treville models` says: of a shipped model, and of two whose order of strength is checked."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Place, Report, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """A model; `citation` is the comment at the head of its file, `text` the file, where it was asked for."""

    model: str
    title: str
    aliases: tuple[str, ...] = ()
    citation: str
    text: str | None = absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthReport(Report):
    """Every state that `stronger` allows `weaker` must allow, on so many `tests`; on those that it is
    `broken_by` it does not. Tests do not count that either model refuses, that are in dialects which the
    order is not meant for (`outside`), or that have no answer. Both names are empty if no order is expected
    of the models that were asked about."""

    stronger: str = ""
    weaker: str = ""
    tests: int = 0
    broken_by: tuple[str, ...] = ()
    told_apart_by: tuple[str, ...] = ()
    refused: int = 0
    outside: int = 0
    unanswered: int = 0

    def shown_at(self) -> Place | None:
        """It is about models, which are no file."""
        return self.place
