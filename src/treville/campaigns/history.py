"""One history and one level, or one model -> a report.

All levels of a history are decided together, from the strongest down, since an order that shows a strong
one shows the weaker ones, too. An answer is there before its explanation, and stands if that takes too
long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from treville.campaigns.guard import Draft, guarded
from treville.campaigns.history_task import Options, Question
from treville.campaigns.inputs import read_text
from treville.campaigns.keys import key_of, text_key
from treville.campaigns.kind import Kind, Telling
from treville.histories import LEVELS, Answer, History, check, find_level, read_history
from treville.histories.explain import Explanation, explain
from treville.histories.objects import LEVELS_OF_OBJECTS, REGISTER
from treville.histories.overall import check_all
from treville.histories.report import evidence_of, evidence_text, explanation_text, history_warnings, part_of
from treville.records import replace
from treville.results import Budget, InputError, Verdict
from treville.results.errors import limit_in
from treville.results.progress import READING
from treville.results.reports.history import HistoryReport
from treville.results.reports.report import Artifact, Status

MOST_BYTES = 1_000_000_000


class Histories(Kind[Question, HistoryReport]):
    """Could a recorded run happen at a level?"""

    name = "history"
    report = HistoryReport

    def blank(self, question: Question) -> HistoryReport:
        """Nothing is known."""
        return HistoryReport(
            file=question.file, level=question.level, model=question.model or None, asked=question.asked
        )

    def answers(
        self, questions: Sequence[Question], telling: Telling[HistoryReport]
    ) -> Iterator[HistoryReport]:
        """The reports, one by one; the history is read once."""
        history = cache(partial(_read, questions[0]))
        deciding = _Deciding(questions, history)
        for question in questions:
            started = time.monotonic()
            draft = Draft(self.blank(question))
            guarded(draft, partial(_fill, draft, question, history, deciding, telling))
            yield replace(draft.report, seconds=round(time.monotonic() - started, 4))

    def key(self, question: Question) -> str:
        """The history's text, the level or the model's content, the options."""
        options = replace(question.options, limits=Options().limits)
        content = text_key(question.file, question.text)
        model = _model_key(question.model)
        return key_of(self.name, question.file, content, question.level, question.asked, model, options)


KIND = Histories()


def _model_key(name: str) -> str:
    if not name:
        return ""
    from treville.campaigns.model_keys import model_key

    return model_key(name)


def _read(question: Question) -> History:
    text = question.text if question.text is not None else read_text(question.file, MOST_BYTES)
    return read_history(text, question.file, dict(question.options.initial))


def sensible_levels(history: History) -> list[str]:
    """The levels that can be asked about a history: some need times, and objects have few."""
    names = LEVELS if history.object_type == REGISTER.name else LEVELS_OF_OBJECTS
    found = [name for name in names if history.has_times or not LEVELS[name].needs_times]
    if not found:
        raise InputError(f"a log about a {history.object_type} needs the start and end of every operation")
    return found


class _Deciding:
    """The answers for the levels of a group of questions, each when its turn comes."""

    def __init__(self, questions: Sequence[Question], history: Callable[[], History]) -> None:
        self._questions = questions
        self._history = history
        self._budget = Budget()
        self._joint = not any(question.asked for question in questions)
        self._answers: Iterator[Answer] | None = None

    def next(self, question: Question, budget: Budget) -> Answer:
        """The answer to the next question."""
        if not self._joint:
            assert question.level is not None
            return check(self._history(), find_level(question.level), budget, question.options.algorithm)
        self._budget = budget
        if self._answers is None:
            history = self._history()
            rest = self._questions[self._questions.index(question) :]
            levels = [find_level(asked.level) for asked in rest if asked.level]
            sensible = [level for level in levels if level.name in sensible_levels(history)]
            self._answers = check_all(history, sensible, lambda: self._budget, question.options.algorithm)
        try:
            return next(self._answers)
        except BaseException:
            self._answers = None  # what is wrong with one level need not be with the next
            raise


def _fill(
    draft: Draft[HistoryReport],
    question: Question,
    read: Callable[[], History],
    deciding: _Deciding,
    telling: Telling[HistoryReport],
) -> None:
    limits = question.options.limits
    budget = Budget(limits.seconds, limits.memory, listener=telling.progress)
    with budget.stage(READING):
        history = read()
    draft.report = replace(
        draft.report,
        operations=len(history.operations),
        processes=len(history.processes()),
        warnings=history_warnings(history),
    )
    if question.model:
        from treville.campaigns.history_model import fill_model

        fill_model(draft, history, question, budget, telling)
        return
    if not question.asked and question.level not in sensible_levels(history):
        draft.report = replace(draft.report, left_out=True)
        return
    answer = deciding.next(question, budget)
    draft.report = replace(
        draft.report,
        status=Status.UNKNOWN if answer.verdict is Verdict.UNKNOWN else Status.DONE,
        verdict=answer.verdict,
        reason=answer.reason,
        limit=limit_in(answer.reason),
        algorithm=answer.algorithm,
        evidence=evidence_of(history, answer),
        text=tuple(evidence_text(history, answer)),
    )
    explanation = None
    if answer.verdict is Verdict.FAIL and question.options.explain:
        telling.provisional(draft.report)
        explanation = explain(history, answer, budget)
        draft.report = with_explanation(draft.report, explanation)
    if question.options.svg:
        draft.report = _with_picture(draft.report, question.options.svg, history, answer, explanation)


def with_explanation(report: HistoryReport, explanation: Explanation) -> HistoryReport:
    """The report with why the history fails."""
    return replace(
        report,
        reason=" ".join(line.strip() for line in explanation.words),
        explanation=part_of(explanation),
        because=tuple(explanation_text(explanation)),
    )


def _with_picture(
    report: HistoryReport, name: str, history: History, answer: Answer, explanation: Explanation | None
) -> HistoryReport:
    """The report with its picture; a history that is too long for one has an answer all the same."""
    try:
        return replace(report, artifacts=(Artifact(name, _drawn(history, answer, explanation)),))
    except InputError as error:
        return replace(report, warnings=(*report.warnings, f"no picture: {error.complaint}"))


def _drawn(history: History, answer: Answer, explanation: Explanation | None) -> str:
    from treville.histories.timeline import draw

    title = f"{Path(history.name).name}: {answer.verdict.value} {answer.level.name}"
    if explanation is not None:
        events = explanation.part.events
        sources = {r: found[0] for r, found in events.candidates.items() if len(found) == 1}
        return draw(events, sources, title + " (failing part)", explanation.words, explanation.drawn)
    sources = answer.execution.sources if answer.execution else {}
    return draw(history.events, sources, title)
