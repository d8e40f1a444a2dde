"""The answer of `treville litmus`: the final states of one test under one model."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Hop, Report, State, Status, absent
from treville.results.verdict import ExitCode


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A forbidden execution and why: the axiom, the cycle, the execution and the reason as text."""

    state: State
    axiom: str
    violated: tuple[str, ...]
    cycle: tuple[Hop, ...]
    execution: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged(Explained):
    """An allowed execution that raises a flag, and the evidence."""

    flag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A candidate execution: as text, and why it is forbidden if it is."""

    allowed: bool
    state: State
    execution: str
    forbidden: Explained | None = absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class LitmusReport(Report):
    """`holds` is None where the behaviour is undefined or not all was explored. `positive` and `negative`
    count executions, where the engine does; the other two count states."""

    test: str = ""
    model: str
    variant: str = ""
    condition: str | None = None
    condition_text: str = ""
    holds: bool | None = None
    condition_holds: bool | None = None
    observation: str | None = None
    states: tuple[State, ...] = ()
    states_complete: bool = True
    flags: tuple[str, ...] = ()
    positive: int | None = None
    negative: int | None = None
    positive_states: int = 0
    negative_states: int = 0
    engine: str = ""
    bound: int | None = None
    bound_reached: bool = False
    unfinished: bool = False
    explanation: Explained | None = absent()
    flagged: tuple[Flagged, ...] | None = absent()
    executions: tuple[Listed, ...] | None = absent()
    executions_cut: bool | None = absent()
    note: str | None = absent()

    @property
    def exit_code(self) -> ExitCode:
        """`treville litmus` reports facts: any answer is a success."""
        return self.error_code or (ExitCode.PASS if self.status is Status.DONE else ExitCode.UNKNOWN)

    def complaint(self) -> str:
        """herd7's text has no place for tests without an answer."""
        if self.status is Status.UNKNOWN:
            return f"{self.file}: unknown: {self.reason}"
        return Report.complaint(self)

    def about(self) -> str:
        """The model."""
        return f"under {self.model}" if self.model else ""
