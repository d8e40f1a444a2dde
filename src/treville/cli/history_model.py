"""`treville history --model`: a history against any memory model written in cat."""

from __future__ import annotations

import argparse
import time
from typing import Any

from treville.campaigns.vacuity import about_model
from treville.cli.arguments import memory_in_bytes
from treville.histories import History
from treville.histories.explain import Explanation, smallest_failing
from treville.histories.report import explanation_text, history_warnings
from treville.models.library import load_model
from treville.models.model import Model
from treville.questions.testing import Access, RecordedAnswer, recorded_program, run_test
from treville.results import (
    EXIT_OF,
    Budget,
    BudgetExceeded,
    ExitCode,
    Verdict,
    as_warnings,
    report_line,
    warning_lines,
)


def check_model(history: History, name: str, options: argparse.Namespace) -> ExitCode:
    """Answer for one history and one model, and print the answer."""
    model = load_model(name)
    memory = memory_in_bytes(options)
    started = time.monotonic()
    tested, reason, explanation = None, "", None
    try:
        tested = _tested(history, model, Budget(options.timeout, memory))
        verdict = Verdict.PASS if tested.succeeds else Verdict.FAIL
    except BudgetExceeded as error:
        verdict, reason = (
            Verdict.UNKNOWN,
            f"{error.reason} ({error.advice})" if error.advice else error.reason,
        )
    seconds = time.monotonic() - started
    if verdict is Verdict.FAIL and options.explain:
        limit = options.timeout if options.timeout is not None else 60.0
        explanation = _explained(history, model, Budget(limit, memory))
    _print(history, model, verdict, reason, seconds, tested, explanation, options.json)
    return EXIT_OF[verdict]


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


def _print(
    history: History,
    model: Model,
    verdict: Verdict,
    reason: str,
    seconds: float,
    tested: RecordedAnswer | None,
    explanation: Explanation | None,
    as_json: bool,
) -> None:
    engine = tested.engine if tested else ""
    warnings = [*history_warnings(history), *as_warnings(about_model(model))]
    if as_json:
        report: dict[str, Any] = {
            "file": history.name,
            "level": None,
            "model": model.name,
            "verdict": verdict.value,
            "reason": explanation.words[0] if explanation else reason,
            "warnings": warnings,
            "seconds": round(seconds, 3),
            "algorithm": engine,
            "operations": len(history.operations),
        }
        if tested and tested.sources is not None:
            report["evidence"] = {"reads_from": _reads_from(history, tested), "checked": True}
        if explanation:
            report["explanation"] = {
                "operations": list(explanation.positions),
                "history": explanation.part.compact(),
                "minimal": explanation.minimal,
            }
        print(report_line(report), flush=True)
        return
    print(f"{history.name}: {verdict.value} {model.name} ({engine or 'no engine'}, {seconds:.2f} s)")
    if reason:
        print(f"  {reason}")
    for line in warning_lines(warnings):
        print(line)
    if tested and tested.sources and len(history.operations) <= 40:
        operations = history.operations
        for read, write in _reads_from(history, tested).items():
            origin = write if isinstance(write, str) else f"{operations[write].process}:{operations[write]}"
            reader = operations[int(read)]
            print(f"  {reader.process}:{reader} reads from {origin}")
    if explanation:
        print("\n".join(explanation_text(explanation)), flush=True)


def _reads_from(history: History, tested: RecordedAnswer) -> dict[str, int | str]:
    events = history.events
    found: dict[str, int | str] = {}
    for (thread, index), source in sorted((tested.sources or {}).items()):
        read = events.threads[thread][index]
        key = events.locations[events.location_of[read]]
        origin = None if source is None else events.position[events.threads[source[0]][source[1]]]
        found[str(events.position[read])] = f"initial {key}" if origin is None else origin
    return found
