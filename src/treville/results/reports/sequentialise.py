"""The answer of `treville sequentialise`: a sequential program, and what was bounded in it."""

from __future__ import annotations

from treville.records import dataclass, field
from treville.results.reports.report import PRIVATE, Report, Status, absent
from treville.results.verdict import ExitCode


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialiseReport(Report):
    """`output` is the file that was asked for; without one, `program` is the text. `cut`: some loop or
    recursion goes on beyond the bound."""

    model: str
    dialect: str
    sma: str
    bound: int
    rounds: int
    timestamps: int
    nodes: int
    bits: int
    output: str | None = None
    threads: int | None = None
    steps: int | None = None
    locations: int | None = None
    addresses: int | None = None
    blocks: int | None = None
    cut: bool | None = None
    program: str | None = absent()
    text: str = field(default="", metadata=PRIVATE)

    @property
    def exit_code(self) -> ExitCode:
        """A program that was written is a success."""
        return self.error_code or (ExitCode.PASS if self.status is Status.DONE else ExitCode.UNKNOWN)

    def about(self) -> str:
        """The model."""
        return f"under {self.model}"
