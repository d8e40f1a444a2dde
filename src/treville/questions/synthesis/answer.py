"""What a synthesis ends in, and how a model is judged on tests: by the engine of `treville litmus` alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from treville.models.cat.resolve import resolve_text
from treville.models.model import Model
from treville.programs.litmus.states import satisfied
from treville.questions.outcomes import outcomes
from treville.questions.synthesis.problem import Requirement
from treville.records import dataclass, field
from treville.results import Budget, InputError, TooLarge
from treville.results.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Found:
    """A model: its text from the first include on, what it counts as, and where its includes are."""

    prelude: str
    body: str
    axioms: int
    size: int
    smallest: bool
    folder: Path | None = None

    def resolved(self) -> Model:
        """The model, read from its text."""
        return resolve_text(self.prelude + self.body, "synth.cat", self.folder)


@dataclass(frozen=True, slots=True)
class Judgement:
    """How many requirements a model explains; `wrong` are those that it does not."""

    right: int = 0
    wrong: tuple[Requirement, ...] = ()
    unknown: tuple[Requirement, ...] = ()


@dataclass(slots=True)
class Answer:
    """The verdict with its evidence: a model, tests that contradict each other, or what was exhausted."""

    verdict: Verdict = Verdict.UNKNOWN
    reason: str = ""
    found: Found | None = None
    executions: int = 0
    candidates: int = 0
    method: str = ""
    contradiction: tuple[Requirement, ...] = ()
    holes: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)


def judge(model: Model, requirements: Sequence[Requirement], budget: Budget, stage: str) -> Judgement:
    """Which requirements the model explains, by listing the final states of each test."""
    right, wrong, unknown = 0, [], []
    with budget.stage(stage):
        for test, group in groupby(requirements, key=lambda each: each.test):
            wanted = list(group)
            budget.check()
            try:
                found = outcomes(test, model, budget=budget)
            except (TooLarge, InputError):
                unknown += wanted
                continue
            for requirement in wanted:
                if not found.complete and requirement.condition is not test.condition:
                    unknown.append(requirement)
                    continue
                values = [dict(zip(test.observed, state, strict=True)) for state in found.states]
                reached = any(satisfied(requirement.condition, each.__getitem__) for each in values)
                if reached == requirement.allowed:
                    right += 1
                else:
                    wrong.append(requirement)
    return Judgement(right, tuple(wrong), tuple(unknown))
