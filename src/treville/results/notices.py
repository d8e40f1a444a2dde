"""Notices: what a user should know about an answer beside its verdict, as `warnings` of reports.

An answer may hold because nothing was asked (a program without an assertion, a model without an axiom), or
because something was assumed (what a function that is defined nowhere does). Both are told with their place.
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.records import dataclass
from treville.results.source import Span, printable


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence about the input at `span`."""

    sentence: str
    span: Span | None = None

    def __str__(self) -> str:
        return printable(f"{self.span}: {self.sentence}" if self.span else self.sentence)


def as_warnings(*groups: Iterable[Notice]) -> tuple[str, ...]:
    """The notices as reports have them: in order, each once."""
    return tuple(dict.fromkeys(str(notice) for notices in groups for notice in notices))


def warning_lines(warnings: Iterable[str], indent: str = "  ") -> list[str]:
    """The warnings of a report as lines of text."""
    return [f"{indent}warning: {warning}" for warning in warnings]
