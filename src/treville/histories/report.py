"""Answers as parts of reports, and as text for people."""

from __future__ import annotations

from collections.abc import Sequence

from treville.histories.check import Answer
from treville.histories.explain import Explanation
from treville.histories.hierarchy import strongest_satisfied, weaker_than, weakest_violated
from treville.histories.history import Events, History
from treville.histories.levels import LEVELS
from treville.histories.objects import REGISTER
from treville.histories.views import Execution
from treville.results import Notice, Span, Verdict, as_warnings, warning_lines
from treville.results.reports.history import Because, Evidence, FailingPart, HistoryReport, View

_MOST_SHOWN = 40
_LONGEST_LABEL = 60


def evidence_of(history: History, answer: Answer) -> Evidence | None:
    """The evidence of a PASS. Operations are numbered from 0 in the order of the log."""
    if answer.order is not None:
        return Evidence(order=tuple(answer.order), checked=True)
    execution = answer.execution
    if execution is None:
        return None
    events = history.events

    def number(event: int) -> int | str:
        if events.is_initial(event):
            return f"initial {events.locations[event - events.count]}"
        return events.position[event]

    return Evidence(
        reads_from={str(number(r)): number(w) for r, w in sorted(execution.sources.items())},
        views=tuple(
            View(of=instance.title(events), order=tuple(events.position[e] for e in order))
            for instance, order in execution.views
        ),
        checked=True,
    )


def part_of(explanation: Explanation) -> FailingPart:
    """The failing part of a FAIL, and the cycle in it."""
    return FailingPart(
        operations=tuple(explanation.positions),
        history=explanation.part.compact(),
        minimal=explanation.minimal,
        cycle=tuple(
            Because(before=_number(explanation, a), after=_number(explanation, b), because=why)
            for a, b, why in explanation.cycle
        ),
    )


def history_warnings(history: History) -> tuple[str, ...]:
    """A history of nothing satisfies everything."""
    empty = Notice("the history has no completed operations", Span(history.name, 1, 1))
    return as_warnings(() if history.operations else (empty,))


def _number(explanation: Explanation, event: int) -> int:
    return explanation.positions[explanation.part.events.position[event]]


def level_text(report: HistoryReport) -> list[str]:
    """The answer for one level or model, with its evidence or its failing part."""
    how = f"{report.algorithm or 'no engine'}, {report.seconds:.2f} s"
    lines = [f"{report.file}: {report.verdict.value} {report.about()} ({how})"]
    lines += warning_lines(report.warnings)
    if report.verdict is Verdict.UNKNOWN:
        lines.append(f"  {report.reason}")
    return [*lines, *report.text, *report.because]


def evidence_text(history: History, answer: Answer) -> list[str]:
    """The evidence where that fits a screen."""
    if answer.order is not None:
        return [_order_text(history, answer.order)]
    return [] if answer.execution is None else _views_text(history.events, answer.execution)


def _order_text(history: History, order: Sequence[int]) -> str:
    if len(order) > _MOST_SHOWN:
        return f"  an order of {len(order)} operations found and checked (--json shows it)"
    shown = (f"{history.operations[p].process}:{history.operations[p]}" for p in order)
    return f"  order: {' '.join(shown)}"


def _views_text(events: Events, execution: Execution) -> list[str]:
    if events.count > _MOST_SHOWN:
        return [f"  {len(execution.views)} views found and checked (--json shows them)"]
    lines = []
    for instance, order in execution.views:
        shown = " ".join(events.label(event) for event in order) or "(empty)"
        lines.append(f"  view of {instance.title(events)}: {shown}")
    return lines


def explanation_text(explanation: Explanation) -> list[str]:
    """The failing part, thread by thread, and the reason."""
    size = len(explanation.positions)
    kind = "a minimal failing part" if explanation.minimal else "a failing part (not minimal, time ran out)"
    if explanation.part.object_type != REGISTER.name:
        kind = "a failing part"
    lines = [f"  {kind} has {size} operation{'s' if size != 1 else ''}:"]
    threads: dict[str, list[str]] = {}
    lines_used = {operation.span.line for operation in explanation.part.operations if operation.span}
    for position, operation in enumerate(explanation.part.operations):
        if position >= _MOST_SHOWN:
            break
        place = f"@{operation.span.line}" if operation.span and len(lines_used) > 1 else ""
        threads.setdefault(operation.process, []).append(f"{str(operation)[:_LONGEST_LABEL]}{place}")
    lines += [f"    {process}: {' '.join(shown)}" for process, shown in threads.items()]
    if size > _MOST_SHOWN:
        lines.append(f"    ... and {size - _MOST_SHOWN} more")
    return lines + [f"  {line}" for line in explanation.words]


def overview_text(reports: Sequence[HistoryReport]) -> list[str]:
    """Every level as a table, then the borders of what is satisfied."""
    first = reports[0]
    lines = [f"{first.file}: {first.operations} operations, {first.processes} processes"]
    lines += warning_lines(first.warnings)
    width = max(len(report.about()) for report in reports) + 2
    for report in reports:
        why = f"  {report.reason}" if report.verdict is Verdict.UNKNOWN else ""
        summary = LEVELS[report.about()].summary
        lines.append(
            f"  {report.about():<{width}}{report.verdict.value:<8} {summary}"
            f" [{report.algorithm}, {report.seconds:.2f} s]{why}"
        )
    verdicts = {report.about(): report.verdict for report in reports}
    if len(verdicts) > 1:
        lines += ["  " + line for line in tree_text(verdicts)]
    lines.append(f"  strongest satisfied: {', '.join(strongest_satisfied(verdicts)) or 'none'}")
    lines.append(f"  weakest violated: {', '.join(weakest_violated(verdicts)) or 'none'}")
    return lines


def tree_text(verdicts: dict[str, Verdict]) -> list[str]:
    """The hierarchy in rows of equal depth; + satisfied, - violated, ? undecided."""
    depth: dict[str, int] = {}
    for name in verdicts:
        stronger = [other for other in verdicts if name in weaker_than(other)]
        depth[name] = _depth(stronger)
    marks = {Verdict.PASS: "+", Verdict.FAIL: "-", Verdict.UNKNOWN: "?"}
    rows = []
    for level in range(max(depth.values()) + 1):
        names = [f"{marks[verdicts[n]]}{n}" for n in verdicts if depth[n] == level]
        rows.append(("strong  " if level == 0 else "        ") + "  ".join(names))
    rows[-1] = "weak    " + rows[-1].strip()
    return rows


def _depth(stronger: list[str]) -> int:
    """The longest chain of given stronger levels above a level."""
    best = 0
    for other in stronger:
        above = [third for third in stronger if other in weaker_than(third)]
        best = max(best, 1 + _depth(above))
    return best
