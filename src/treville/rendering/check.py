"""Reports of `treville check` as text: verdicts, a table for several models, failing executions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from treville.rendering.style import Style, verdict_word
from treville.results.notices import warning_lines
from treville.results.reports.check import CheckReport, Waiting, Witness, WitnessEvent
from treville.results.reports.report import Status
from treville.witness.naming import line_name, thread_name

_USUAL = ("safety", "condition")


class CheckText:
    """One file's answers at a time: the verdict and its reason, or a table, then executions."""

    def __init__(self, questions: int, style: Style, *, stats: bool, executions: bool) -> None:
        self._questions = questions  # about each file
        self._style = style
        self._stats = stats
        self._executions = executions
        self._reports: list[CheckReport] = []

    def add(self, report: CheckReport) -> str:
        """The text of a file when all is known about it."""
        self._reports.append(report)
        if len(self._reports) < self._questions:
            return ""
        text = "\n".join(self._lines(self._reports))
        self._reports = []
        return f"{text}\n" if text else ""

    def finish(self) -> str:
        """Nothing is left."""
        return ""

    def _lines(self, reports: Sequence[CheckReport]) -> list[str]:
        lines = self._single(reports[0]) if len(reports) == 1 else self._table(reports)
        lines += warning_lines(dict.fromkeys(warning for report in reports for warning in report.warnings))
        if self._executions:
            lines += _witnesses(reports)
        if self._stats:
            lines += map(stats_text, reports)
        return lines

    def _single(self, report: CheckReport) -> list[str]:
        if report.status is Status.ERROR:
            return []
        bound = f", bound {report.bound}" if report.bound else ""
        goal = "" if report.property in _USUAL else f", {report.property}"
        verdict = self._style.word(report.verdict.value)
        model = report.model or "its own model"  # that of a test whose reading was not finished
        lines = [f"{report.file} under {model}{goal}{bound}: {verdict}"]
        return [*lines, *([f"  {report.reason}"] if report.reason else [])]

    def _table(self, reports: Sequence[CheckReport]) -> list[str]:
        models = [Path(r.model).stem if r.model.endswith(".cat") else r.model for r in reports]
        goals = [report.property for report in reports]
        columns = [["model", *models], *([["property", *goals]] if len(set(goals)) > 1 else [])]
        widths = [max(map(len, column)) for column in columns]
        head, *names = [
            "  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True))
            for row in zip(*columns, strict=True)
        ]
        lines = [reports[0].file, f"  {head}  verdict  bound  seconds  reason"]
        for name, report in zip(names, reports, strict=True):
            word = self._style.word(verdict_word(report), 7)
            bound = str(report.bound or "-")
            reason = report.reason.split("\n")[0]
            lines.append(f"  {name}  {word}  {bound:>5}  {report.seconds:>7.2f}  {reason}".rstrip())
        return lines


def _witnesses(reports: Sequence[CheckReport]) -> list[str]:
    lines = []
    for report in reports:
        if verdict_word(report) == "FAIL" and report.witness is not None and report.witness.events:
            if len(reports) > 1:
                lines.append(f"\nUnder {report.model}: {report.reason}")
            lines.append(witness_text(report.witness, report.file))
            if report.witness.reordering and report.witness.waiting is None:
                lines.append("  treville repair finds the cheapest fences and orders that forbid it")
    return lines


def witness_text(shown: Witness, file: str) -> str:
    """The execution: step by step where it is an interleaving, else thread by thread and the cycle. Lines of
    other files than the one that was checked have their file's name."""
    events = {event.label: event for event in shown.events}
    sources = {target: source for source, target in shown.rf}
    order: Sequence[str]
    if shown.interleaving is not None:
        order = shown.interleaving
        lines = [f"  an interleaving {_that_violates(shown)}:"]
    else:
        order = [event.label for event in sorted(shown.events, key=lambda event: event.number)]
        lines = [f"  an execution {_that_violates(shown)}, thread by thread; no interleaving explains it:"]
    told = [events[label] for label in order if not _is_call(events[label])]
    lines += _lines(told, sources, shown.race or (), file)
    lines += _waiting(shown.waiting or (), file)
    changed = [f"{source} -> {target}" for source, target in shown.co]
    if changed and shown.interleaving is None:
        lines.append(f"  coherence: {', '.join(changed)}")
    if shown.reordering:
        lines.append("  not sequentially consistent:")
        lines += [f"    {line}" for line in shown.reordering.split("\n")]
    return "\n".join(lines)


def _that_violates(shown: Witness) -> str:
    if shown.race is not None:
        return "with the race"
    return "that leads there" if shown.waiting is not None else "that fails"


def _waiting(places: Sequence[Waiting], file: str) -> list[str]:
    """Who waits where in the end."""
    rows = [(_thread(place), line_name(place.file, place.line, file), place.source) for place in places]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines = [
        f"    {thread:<{widths[0]}}  {line:<{widths[1]}}  {source}".rstrip() for thread, line, source in rows
    ]
    return ["  and there these threads stay:", *lines] if lines else []


def _is_call(event: WitnessEvent) -> bool:
    """The fences that creating and joining threads bring along need no line of their own."""
    called = ("pthread_create", "pthread_join", "thrd_create", "thrd_join")
    return " " not in event.does and any(name in event.source for name in called)


def _lines(
    events: Sequence[WitnessEvent], sources: Mapping[str, str], race: Sequence[str], file: str
) -> list[str]:
    """Thread, line, what happens, from where a read has its value, whether it races, and the source."""
    rows = []
    for event in events:
        source = sources.get(event.label)
        does = event.does + (f" (from {source})" if source else "")
        does += " (race)" if event.label in race else ""
        place = line_name(event.file, event.line, file)
        rows.append((_thread(event), place, f"{event.label}: {does}", event.source))
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    return [
        "    " + "  ".join(part.ljust(width) for part, width in zip(row, [*widths, 0], strict=True)).rstrip()
        for row in rows
    ]


def _thread(event: WitnessEvent | Waiting) -> str:
    return thread_name(event.number, event.thread)


def stats_text(report: CheckReport) -> str:
    """What `--stats` prints: counts, seconds of each stage, pairs of each relation."""
    stats = dict(report.stats)
    stages, relations = stats.pop("seconds", {}), stats.pop("relations", {})
    compiler, engine = stats.pop("compiler", ""), stats.pop("engine", "")
    lines = [f"  {report.model}: {_listed(stats)}{', ' if stats else ''}{report.seconds:.2f} s"]
    if stages:
        lines.append(f"  seconds: {_listed(stages)}")
    if engine:
        lines.append(f"  answered by {engine}")
    if compiler:
        lines.append(f"  compiled by {compiler}")
    if relations:
        width = max(map(len, relations))
        lines.append(f"  {'pairs':<{width}}  {'may':>8}  {'must':>8}  {'active':>8}")
        for name, sizes in relations.items():
            lines.append(f"  {name:<{width}}  " + "  ".join(f"{size:>8}" for size in sizes.values()))
    return "\n".join(lines)


def _listed(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in counts.items())
