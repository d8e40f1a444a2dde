"""The answer of `treville compare`: litmus tests that one model allows and another forbids."""

from __future__ import annotations

from treville.records import dataclass
from treville.results.reports.report import Place, Report, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """A test that tells two models apart. `events` are reads and writes, an exchange counts two; `axiom` is
    one of the forbidding model that forbids the state. `text` is the test itself, `written` the file that it
    was written to; `explanation` says for people why it is forbidden."""

    allowed_by: str
    forbidden_by: str
    events: int
    threads: int
    locations: int
    test: str
    condition: str
    axiom: str
    text: str
    explanation: str = ""
    written: str | None = absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaxedAxiom:
    """A relaxation of a model (`left_out` is empty if the axiom is gone), and the tests of the suite that
    notice it; none if no test within the scope does."""

    axiom: str
    left_out: str
    noticed_by: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareReport(Report):
    """`right` is empty for a suite, which has `relaxations`. Tests of up to `events` accesses in `threads`
    threads were asked for; `searched` says up to how many accesses all of them were looked at, in every
    direction that was asked for. With `all`, every test that tells the models apart has one of the
    `differences` inside."""

    left: str
    right: str
    dialect: str = ""
    events: int
    threads: int
    locations: int | None = None
    direction: str
    all: bool
    searched: int | None = None
    differences: tuple[Separation, ...] = ()
    relaxations: tuple[RelaxedAxiom, ...] | None = absent()

    def shown_at(self) -> Place | None:
        """It is about models, which are no file."""
        return self.place

    def about(self) -> str:
        """The two models, or one."""
        return f"{self.left} and {self.right}" if self.right else f"suite of {self.left}"
