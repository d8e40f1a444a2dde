"""The answer of `treville history`: whether a recorded run is possible at a level, or under a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from treville.records import dataclass, field
from treville.results.reports.report import PRIVATE, Report, Status, absent
from treville.results.verdict import EXIT_OF, ExitCode


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An order in which somebody may have seen the operations, by their numbers in the log."""

    of: str
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why a history passes: where reads have their values from, and the views, or one order of all
    operations. It was judged again."""

    reads_from: Mapping[str, int | str] | None = absent()
    views: tuple[View, ...] | None = absent()
    order: tuple[int, ...] | None = absent()
    checked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """An operation that must come before another one, and why."""

    before: int
    after: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingPart:
    """Operations that already fail by themselves; minimal: none can be left out."""

    operations: tuple[int, ...]
    history: str
    minimal: bool
    cycle: tuple[Because, ...] | None = absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryReport(Report):
    """`level` is None where a memory model was asked about. Operations are numbered from 0 as in the log.
    `asked` says whether the level was asked for, or all were."""

    level: str | None
    model: str | None = absent()
    algorithm: str = ""
    operations: int | None = None
    evidence: Evidence | None = absent()
    explanation: FailingPart | None = absent()
    text: tuple[str, ...] = field(default=(), metadata=PRIVATE)
    because: tuple[str, ...] = field(default=(), metadata=PRIVATE)
    processes: int = field(default=0, metadata=PRIVATE)
    asked: bool = field(default=True, metadata=PRIVATE)

    @property
    def exit_code(self) -> ExitCode:
        """Without a level facts are reported: any answer is a success."""
        if self.asked or self.error is not None:
            return self.error_code or EXIT_OF[self.verdict]
        return ExitCode.PASS if self.status is Status.DONE else ExitCode.UNKNOWN

    def about(self) -> str:
        """The level or the model."""
        return self.level or self.model or ""


HardnessCase = TypedDict("HardnessCase", {"class": str, "theorem": int | None})
"""A class of complexity, and the theorem of the thesis that decides it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityReport:
    """How hard a level is to check: in general, and where the number of processes, of operations of each, or
    of keys is fixed."""

    level: str
    general: HardnessCase
    processes: HardnessCase
    operations: HardnessCase
    keys: HardnessCase
