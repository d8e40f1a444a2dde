"""The answer of `treville port`: what a program does under the target's model and not under the source's."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Hop, Report, State, absent
from treville.results.reports.source_changes import SourceChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """An access in the source; where the line is not known, only its text."""

    text: str
    file: str | None = absent()
    line: int | None = absent()
    column: int | None = absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two accesses of one thread on the cycle, and whether the model that allows the execution keeps their
    order."""

    thread: int
    first: Spot
    second: Spot
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A state or an execution that one model has and the other has not, and the axiom that forbids it. Lines
    matter where a line of the source has one access of one thread."""

    direction: str
    state: State
    allowed_by: str
    forbidden_by: str
    axiom: str
    cycle: tuple[Hop, ...]
    steps: tuple[Pair, ...]
    lines_matter: bool
    execution: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Changes that make the program portable, as `treville repair` finds them, or why there are none."""

    changes: tuple[SourceChange, ...] = ()
    cost: int | None = None
    optimal: bool | None = None
    diff: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortReport(Report):
    """`differences` counts what was looked at; `complete` is whether all runs were covered by the bound."""

    test: str = ""
    source: str
    target: str
    notion: str
    direction: str
    observe: str
    complete: bool | None = None
    bound: int
    engine: str = ""
    dead: bool
    differences: int | None = None
    findings: tuple[Found, ...] = ()
    suggestion: Suggestion | None = absent()

    def about(self) -> str:
        """The two models."""
        return f"from {self.source} to {self.target}"
