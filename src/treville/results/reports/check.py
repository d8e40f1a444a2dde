"""The answer of `treville check`: whether a program violates a property under a model, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from treville.records import dataclass, field
from treville.results.reports.report import OPTIONAL, SHOWN, Place, Report, absent

Step = TypedDict("Step", {"from": str, "to": str, "relation": str})
"""An edge of a cycle, by the labels of its events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessEvent:
    """What one thread does at one place of the source; `number` is the thread's."""

    label: str
    thread: str
    number: int
    does: str
    line: int | None
    file: str | None
    source: str

    @property
    def place(self) -> Place | None:
        """Where the source has it."""
        return Place(file=self.file, line=self.line) if self.file and self.line else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A thread that does not go on, and where."""

    thread: str
    number: int
    file: str | None
    line: int | None
    source: str

    @property
    def place(self) -> Place | None:
        """Where the source has it."""
        return Place(file=self.file, line=self.line) if self.file and self.line else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """An execution that violates the property. `interleaving` has the labels in an order that explains it,
    where there is one; else `reordering` says why not, and `cycle` is what sequential consistency
    forbids. `co` leaves out what follows by transitivity."""

    failure: str
    threads: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    events: tuple[WitnessEvent, ...] = field(default=(), metadata=OPTIONAL)
    rf: tuple[tuple[str, str], ...] = field(default=(), metadata=OPTIONAL)
    co: tuple[tuple[str, str], ...] = field(default=(), metadata=OPTIONAL)
    interleaving: tuple[str, ...] | None = field(default=None, metadata=SHOWN)
    reordering: str | None = absent()
    cycle: tuple[Step, ...] | None = absent()
    race: tuple[str, ...] | None = absent()
    waiting: tuple[Waiting, ...] | None = absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was seen of a litmus test's condition."""

    condition: str
    observation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport(Report):
    """`violated` names what a FAIL violates; `bound` is how far loops were unrolled, if any had to be."""

    model: str
    property: str
    violated: str | None = None
    bound: int | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)
    witness: Witness | None = None
    observed: Observed | None = absent()

    def about(self) -> str:
        """The model and the property."""
        return f"{self.property} under {self.model}"
