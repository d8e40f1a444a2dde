"""The answer of `treville synth`: a model that explains tests, or tests that none explains."""

from __future__ import annotations

from treville.records import dataclass, field
from treville.results.reports.report import PRIVATE, Place, Report, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """How the model does on the tests that were kept back."""

    right: int
    wrong: int
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTest:
    """A test, and whether its condition was to be reached."""

    test: str
    file: str
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTest:
    """A test that was missing: what was asked, and the outcome that the oracle gave."""

    test: str
    text: str
    allowed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthReport(Report):
    """`model` is the text of a cat file. `size` counts base relations and closures in the axioms or holes,
    `executions` those to forbid, `candidates` the relations looked at, `tests` the requirements on tests.
    `contradiction` is a minimal set of tests that no model of the space explains. `unique`: no other model
    that was found differs up to `events` events; `missing` are the tests that were asked for to get there."""

    model: str | None = absent()
    axioms: int | None = None
    size: int | None = None
    smallest: bool | None = absent()
    method: str = ""
    executions: int | None = None
    candidates: int | None = None
    tests: int | None = None
    holdout: HeldBack | None = absent()
    contradiction: tuple[GivenTest, ...] = ()
    unique: bool | None = absent()
    events: int | None = absent()
    missing: tuple[AskedTest, ...] | None = absent()
    stages: dict[str, float] | None = absent()
    text: str = field(default="", metadata=PRIVATE)

    def shown_at(self) -> Place | None:
        """It is about tests, which are no file."""
        return self.place
