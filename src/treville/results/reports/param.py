"""The answer of `treville param`: whether a protocol is safe for any number of processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from treville.records import dataclass, field
from treville.results.reports.report import PRIVATE, Report, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A transition of a trace."""

    transition: str
    processes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """A step of a run that was replayed, and what it changed."""

    step: str
    changes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedEvent:
    """An event of the happens-before graph."""

    event: str
    transition: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    fence: bool


OrderEdge = TypedDict("OrderEdge", {"from": str, "to": str, "kinds": list[str]})


@dataclass(frozen=True, slots=True, kw_only=True)
class HappensBefore:
    """The global happens-before graph of a run on weak memory."""

    events: tuple[OrderedEvent, ...]
    edges: tuple[OrderEdge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamReport(Report):
    """A PASS has an inductive invariant (cubes that never hold), a FAIL a run."""

    model: str
    advice: str | None = absent()
    assumed: tuple[str, ...] | None = absent()
    proved: tuple[str, ...] | None = absent()
    refuted: tuple[str, ...] | None = absent()
    invariant: tuple[str, ...] | None = absent()
    trace: tuple[Taken, ...] | None = absent()
    unsafe: str | None = absent()
    processes: int | None = absent()
    run: tuple[RunStep, ...] | None = absent()
    ghb: HappensBefore | None = absent()
    certificate: str | None = absent()
    statistics: Mapping[str, int] = field(default_factory=dict)
    text: str = field(default="", metadata=PRIVATE)

    def about(self) -> str:
        """The model."""
        return f"under {self.model}"
