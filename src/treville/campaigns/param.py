"""One parameterised system under one model -> a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import input_text
from treville.campaigns.keys import key_of, text_key
from treville.campaigns.kind import Kind, Limits, Telling
from treville.parameterised.backward.search import Search
from treville.parameterised.certificate.check import certify
from treville.parameterised.decide import Answer, decide
from treville.parameterised.drawing import dot, svg
from treville.parameterised.language.resolve import read_system
from treville.parameterised.report import as_report
from treville.records import dataclass, field, replace
from treville.results import Budget, Verdict
from treville.results.progress import READING, Listener, Progress
from treville.results.reports.param import ParamReport
from treville.results.reports.report import Artifact, Status


@dataclass(frozen=True, slots=True)
class Options:
    """What `treville param` was asked to do with every system. Without a model the file's own is taken; `all`
    shows all cubes of an invariant."""

    model: str | None = None
    limits: Limits = field(default_factory=Limits)
    guesses: bool = True
    reduce: bool = True
    certify: bool = False
    all: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One system, and the files of its pictures. `text` is what standard input held."""

    file: str
    options: Options = field(default_factory=Options)
    dot: str = ""
    svg: str = ""
    text: str | None = None

    @property
    def limits(self) -> Limits:
        """When it is given up."""
        return self.options.limits


class Param(Kind[Question, ParamReport]):
    """Is a protocol safe for any number of processes?"""

    name = "param"
    report = ParamReport

    def blank(self, question: Question) -> ParamReport:
        """Nothing is known."""
        return ParamReport(file=question.file, model=question.options.model or "")

    def answers(self, questions: Sequence[Question], telling: Telling[ParamReport]) -> Iterator[ParamReport]:
        """The reports, one by one."""
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            guarded(draft, partial(_fill, draft, question, telling))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def key(self, question: Question) -> str:
        """The system's text and the options."""
        options = replace(question.options, limits=Options().limits)
        content = text_key(question.file, question.text)
        return key_of(self.name, question.file, content, options, question.dot, question.svg)


KIND = Param()


def _fill(draft: Draft[ParamReport], question: Question, telling: Telling[ParamReport]) -> None:
    options = question.options
    budget = Budget(options.limits.seconds, options.limits.memory, listener=telling.progress)
    with budget.stage(READING):
        text = input_text(question.file, question.text)
        system = read_system(text, question.file, options.model)
    draft.report = replace(draft.report, model=system.model)
    answer = decide(
        system,
        budget,
        approximate=options.guesses,
        reduce=options.reduce,
        progress=_progress(telling.progress),
    )
    draft.report = as_report(answer, everything=options.all)
    if options.certify and answer.verdict is Verdict.PASS:
        telling.provisional(draft.report)
        _certify(draft, answer, budget)
    draft.report = replace(draft.report, artifacts=tuple(_pictures(answer, question)))


def _progress(tell: Listener) -> Callable[[Search], None]:
    """What the search says of itself, a few times a second."""
    last = time.monotonic()

    def show(search: Search) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.2:
            last = now
            waiting = search.pushed - len(search.taken)
            tell(Progress(f"depth {search.deepest}, {waiting} waiting", spent=len(search.explored)))

    return show


def _certify(draft: Draft[ParamReport], answer: Answer, budget: Budget) -> None:
    outcome = certify(answer, Budget(budget.remaining(), None))
    told = f"{draft.report.text}\n  {outcome.text}"
    draft.report = replace(draft.report, certificate=outcome.text, text=told)
    if outcome.right is False:
        draft.report = replace(
            draft.report, verdict=Verdict.UNKNOWN, status=Status.UNKNOWN, reason=outcome.text
        )


def _pictures(answer: Answer, question: Question) -> Iterator[Artifact]:
    for name, draw in ((question.dot, dot), (question.svg, svg)):
        if name:
            yield Artifact(name, draw(answer))
