"""One Petri net and its question -> a report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.keys import key_of, text_key
from treville.campaigns.kind import Kind, Limits, Telling
from treville.petri.answers import Invariant
from treville.petri.decide import Answer, answer
from treville.petri.drawing import draw
from treville.petri.plane import draw_plane
from treville.petri.reading import read_problem
from treville.petri.report import as_report
from treville.records import dataclass, field, replace
from treville.results import Budget
from treville.results.progress import READING
from treville.results.reports.petri import PetriReport
from treville.results.reports.report import Artifact


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville petri` was asked to do with every net. `targets` replace those of the file; `question`
    is `file`, or how lower bounds are read: `reach`, `cover`."""

    method: str = "auto"
    targets: tuple[str, ...] = ()
    question: str = "file"
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Question:
    """One net, and the file of its picture. `text` is what standard input held."""

    file: str
    options: Options = field(default_factory=Options)
    svg: str = ""
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits


class Petri(Kind[Question, PetriReport]):
    """Is a marking out of reach?"""

    name = "petri"
    report = PetriReport

    def blank(self, question: Question) -> PetriReport:
        """Nothing is known."""
        return PetriReport(file=question.file, method=question.options.method)

    def answers(self, questions: Sequence[Question], telling: Telling[PetriReport]) -> Iterator[PetriReport]:
        """The reports, one by one."""
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            guarded(draft, partial(_fill, draft, question, telling))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def key(self, question: Question) -> str:
        """The net's text and the options."""
        options = replace(question.options, limits=Options().limits)
        return key_of(self.name, question.file, text_key(question.file, question.text), options, question.svg)


KIND = Petri()


def _fill(draft: Draft[PetriReport], question: Question, telling: Telling[PetriReport]) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        problem = read_problem(question.file, options.targets, options.question, question.text)
    found = answer(problem, options.method, budget)
    draft.report = as_report(found)
    if question.svg:
        telling.provisional(draft.report)
        draft.report = replace(draft.report, artifacts=tuple(_pictures(found, Path(question.svg))))


def _pictures(found: Answer, path: Path) -> Iterator[Artifact]:
    yield Artifact(str(path), draw(found.problem, found.evidence))
    if len(found.problem.net.places) == 2 and isinstance(found.evidence, Invariant):
        for half_space in found.evidence.half_spaces[:1]:
            plane = path.with_name(path.stem + "-plane.svg")
            yield Artifact(str(plane), draw_plane(found.problem, half_space))
