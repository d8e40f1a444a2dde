"""The answer of `treville petri`: whether a marking is out of reach, with a proof or a firing sequence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treville.records import dataclass, field
from treville.results.reports.report import PRIVATE, Report, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class PetriReport(Report):
    """`certificate` proves a PASS, `counterexample` a FAIL; `treville petri --check` reads both again."""

    method: str = ""
    question: str = ""
    places: int | None = None
    transitions: int | None = None
    targets: int | None = None
    certificate: Mapping[str, Any] | None = absent()
    counterexample: Mapping[str, Any] | None = absent()
    text: str = field(default="", metadata=PRIVATE)

    def about(self) -> str:
        """The kind of question."""
        return self.question
