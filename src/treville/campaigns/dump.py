"""A stage of a program or test -> its text, within the limits of all questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.keys import unrepeatable
from treville.campaigns.kind import Kind, Limits, StaysHere, Telling
from treville.records import dataclass, field, replace
from treville.results.reports.dump import DumpReport
from treville.results.reports.report import Status
from treville.results.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """A stage of one input, and who makes its text."""

    file: str
    stage: str
    text: Callable[[], str]
    limits: Limits = field(default_factory=Limits)


class Dump(Kind[Question, DumpReport]):
    """What has become of an input at some stage?"""

    name = "dump"
    report = DumpReport

    def blank(self, question: Question) -> DumpReport:
        """There is no text yet."""
        return DumpReport(file=question.file, stage=question.stage)

    def answers(self, questions: Sequence[Question], telling: Telling[DumpReport]) -> Iterator[DumpReport]:
        """The texts, one by one."""
        del telling
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            guarded(draft, partial(_fill, draft, question))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def key(self, question: Question) -> str:
        """Texts are made anew each time."""
        return unrepeatable()

    def read(self, question: Question) -> None:
        """Stages are looked at where the inputs are."""
        raise StaysHere("stages are shown where the inputs are")


KIND = Dump()


def _fill(draft: Draft[DumpReport], question: Question) -> None:
    text = question.text()
    draft.report = replace(draft.report, status=Status.DONE, verdict=Verdict.PASS, text=text)
