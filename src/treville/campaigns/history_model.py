"""`treville history --model`: a history against any memory model written in cat."""

from __future__ import annotations

from treville.campaigns.guard import Draft
from treville.campaigns.history_task import Question
from treville.campaigns.kind import Telling
from treville.campaigns.vacuity import about_model
from treville.histories import History
from treville.histories.explain import Explanation, smallest_failing
from treville.histories.report import explanation_text, part_of
from treville.models.library import load_model
from treville.models.model import Model
from treville.questions.testing import Access, RecordedAnswer, recorded_program, run_test
from treville.records import replace
from treville.results import Budget, BudgetExceeded, Verdict, as_warnings
from treville.results.progress import READING
from treville.results.reports.history import Evidence, HistoryReport
from treville.results.reports.report import Status

_MOST_SHOWN = 40


def fill_model(
    draft: Draft[HistoryReport],
    history: History,
    question: Question,
    budget: Budget,
    telling: Telling[HistoryReport],
) -> None:
    """Answer for one history and one model."""
    with budget.stage(READING):
        model = load_model(question.model)
    warnings = (*draft.report.warnings, *as_warnings(about_model(model)))
    draft.report = replace(draft.report, model=model.name, warnings=warnings)
    tested = _tested(history, model, budget)
    draft.report = replace(
        draft.report,
        status=Status.DONE,
        verdict=Verdict.PASS if tested.succeeds else Verdict.FAIL,
        algorithm=tested.engine,
    )
    if tested.sources is not None:
        sources = _reads_from(history, tested)
        draft.report = replace(
            draft.report, evidence=Evidence(reads_from=sources, checked=True), text=_told(history, sources)
        )
    if not tested.succeeds and question.options.explain:
        telling.provisional(draft.report)
        found = _explained(history, model, budget)
        draft.report = replace(
            draft.report,
            reason=found.words[0],
            explanation=replace(part_of(found), cycle=None),
            because=tuple(explanation_text(found)),
        )


def _told(history: History, sources: dict[str, int | str]) -> tuple[str, ...]:
    """Where the reads have their values from, if that fits a screen."""
    operations = history.operations
    lines = []
    for read, write in sources.items() if len(operations) <= _MOST_SHOWN else ():
        origin = write if isinstance(write, str) else f"{operations[write].process}:{operations[write]}"
        reader = operations[int(read)]
        lines.append(f"  {reader.process}:{reader} reads from {origin}")
    return tuple(lines)


def _tested(history: History, model: Model, budget: Budget) -> RecordedAnswer:
    events = history.events
    if any(not candidates for candidates in events.candidates.values()):
        return RecordedAnswer(False, "values")
    numbers: dict[object, int] = {}
    for key in events.locations:
        numbers.setdefault(history.initial_value(key), len(numbers))
    for value in events.values:
        numbers.setdefault(value, len(numbers))
    threads = [
        [
            Access(
                events.is_write[e],
                events.locations[events.location_of[e]],
                numbers[events.values[e]],
                e in events.optional,
            )
            for e in thread
        ]
        for thread in events.threads
    ]
    initial = {key: numbers[history.initial_value(key)] for key in events.locations}
    return run_test(recorded_program(history.name, threads, initial, model), model, budget)


def _explained(history: History, model: Model, budget: Budget) -> Explanation:
    def fails(part: History, limit: Budget) -> bool:
        try:
            return not _tested(part, model, limit).succeeds
        except BudgetExceeded:
            return False

    words = f"No execution of these operations is consistent with {model.name}."
    return smallest_failing(history, fails, budget, words)


def _reads_from(history: History, tested: RecordedAnswer) -> dict[str, int | str]:
    events = history.events
    found: dict[str, int | str] = {}
    for (thread, index), source in sorted((tested.sources or {}).items()):
        read = events.threads[thread][index]
        key = events.locations[events.location_of[read]]
        origin = None if source is None else events.position[events.threads[source[0]][source[1]]]
        found[str(events.position[read])] = f"initial {key}" if origin is None else origin
    return found
