"""One Petri net and its question -> a report."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import input_text
from treville.campaigns.keys import key_of, text_key
from treville.campaigns.kind import Kind, Limits, Telling
from treville.petri.answers import Invariant
from treville.petri.checking import check
from treville.petri.decide import Answer, answer
from treville.petri.drawing import draw
from treville.petri.net import Problem
from treville.petri.plane import draw_plane
from treville.petri.reading import read_file, read_problem
from treville.petri.report import as_report, evidence_from_json
from treville.records import dataclass, field, replace
from treville.results import Budget
from treville.results.progress import READING
from treville.results.reports.petri import PetriReport
from treville.results.reports.report import Artifact, Status
from treville.results.verdict import Verdict


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
    """One net, and the file of its picture. `text` is what standard input held. With a `stored` answer (JSON;
    empty where none is stored) its evidence is checked, and nothing is searched."""

    file: str
    options: Options = field(default_factory=Options)
    svg: str = ""
    text: str | None = None
    stored: str | None = None

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

    def read(self, question: Question) -> None:
        """The net's text."""
        if question.text is None:
            read_file(question.file)

    def key(self, question: Question) -> str:
        """The net's text and the options."""
        options = replace(question.options, limits=Options().limits)
        text = text_key(question.file, question.text)
        return key_of(self.name, question.file, text, options, question.svg, question.stored)


KIND = Petri()


def _fill(draft: Draft[PetriReport], question: Question, telling: Telling[PetriReport]) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        text = None if question.text is None else input_text(question.file, question.text)
        problem = read_problem(question.file, options.targets, options.question, text)
    if question.stored is not None:
        draft.report = _checked(draft.report, problem, question.stored, budget)
        return
    found = answer(problem, options.method, budget)
    draft.report = as_report(found)
    if question.svg:
        telling.provisional(draft.report)
        draft.report = replace(draft.report, artifacts=tuple(_pictures(found, Path(question.svg))))


def _checked(report: PetriReport, problem: Problem, stored: str, budget: Budget) -> PetriReport:
    """Is the stored evidence right?"""
    answered = json.loads(stored) if stored else {}
    data = answered.get("certificate") or answered.get("counterexample")
    if data is None:
        why = "the stored answer has no certificate" if stored else "no answer about this file is stored"
        return replace(report, status=Status.UNKNOWN, reason=why)
    complaint = check(problem, evidence_from_json(problem, data), budget)
    kind = "certificate" if answered.get("certificate") else "firing sequence"
    verdict, how = (Verdict.FAIL, "wrong") if complaint else (Verdict.PASS, "right")
    text = f"{report.file}: the {kind} is {how}" + (f"\n  {complaint}" if complaint else "")
    return replace(report, status=Status.DONE, verdict=verdict, reason=complaint or "", text=text)


def _pictures(found: Answer, path: Path) -> Iterator[Artifact]:
    yield Artifact(str(path), draw(found.problem, found.evidence))
    if len(found.problem.net.places) == 2 and isinstance(found.evidence, Invariant):
        for half_space in found.evidence.half_spaces[:1]:
            plane = path.with_name(path.stem + "-plane.svg")
            yield Artifact(str(plane), draw_plane(found.problem, half_space))
