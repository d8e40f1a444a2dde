"""Answers as data for `--json` and as text for people."""

from __future__ import annotations

from typing import Any

from treville.histories.check import Answer
from treville.histories.explain import Explanation
from treville.histories.hierarchy import strongest_satisfied, weaker_than, weakest_violated
from treville.histories.history import Events, History
from treville.histories.objects import REGISTER
from treville.results import Notice, Span, Verdict, as_warnings, warning_lines

_MOST_SHOWN = 40
_LONGEST_LABEL = 60


def json_report(history: History, answer: Answer, explanation: Explanation | None) -> dict[str, Any]:
    """One object for one history and level. Operations are numbered from 0 in the order of the log."""
    report: dict[str, Any] = {
        "file": history.name,
        "level": answer.level.name,
        "verdict": answer.verdict.value,
        "reason": answer.reason,
        "warnings": history_warnings(history),
        "seconds": round(answer.seconds, 3),
        "algorithm": answer.algorithm,
        "operations": len(history.operations),
    }
    if answer.execution is not None:
        report["evidence"] = _evidence(history.events, answer)
    if answer.order is not None:
        report["evidence"] = {"order": list(answer.order), "checked": True}
    if explanation is not None:
        report["reason"] = " ".join(line.strip() for line in explanation.words)
        report["explanation"] = {
            "operations": list(explanation.positions),
            "history": explanation.part.compact(),
            "minimal": explanation.minimal,
            "cycle": [
                {"before": _number(explanation, a), "after": _number(explanation, b), "because": why}
                for a, b, why in explanation.cycle
            ],
        }
    return report


def history_warnings(history: History) -> list[str]:
    """A history of nothing satisfies everything."""
    empty = Notice("the history has no completed operations", Span(history.name, 1, 1))
    return as_warnings(() if history.operations else (empty,))


def _number(explanation: Explanation, event: int) -> int:
    return explanation.positions[explanation.part.events.position[event]]


def _evidence(events: Events, answer: Answer) -> dict[str, Any]:
    execution = answer.execution
    assert execution is not None

    def number(event: int) -> int | str:
        if events.is_initial(event):
            return f"initial {events.locations[event - events.count]}"
        return events.position[event]

    return {
        "reads_from": {str(number(r)): number(w) for r, w in sorted(execution.sources.items())},
        "views": [
            {"of": instance.title(events), "order": [events.position[e] for e in order]}
            for instance, order in execution.views
        ],
        "checked": True,
    }


def level_text(history: History, answer: Answer, explanation: Explanation | None) -> list[str]:
    """The answer for one level, with its evidence where that fits a screen."""
    level = answer.level
    head = f"{history.name}: {answer.verdict.value} {level.name} ({answer.algorithm}, {answer.seconds:.2f} s)"
    lines = [head, *warning_lines(history_warnings(history))]
    if answer.verdict is Verdict.UNKNOWN:
        lines.append(f"  {answer.reason}")
    if answer.execution is not None:
        lines += _views_text(history.events, answer)
    if answer.order is not None:
        lines.append(_order_text(history, answer.order))
    if explanation is not None:
        lines += explanation_text(explanation)
    return lines


def _views_text(events: Events, answer: Answer) -> list[str]:
    execution = answer.execution
    assert execution is not None
    if events.count > _MOST_SHOWN:
        return [f"  {len(execution.views)} views found and checked (--json shows them)"]
    lines = []
    for instance, order in execution.views:
        shown = " ".join(events.label(event) for event in order) or "(empty)"
        lines.append(f"  view of {instance.title(events)}: {shown}")
    return lines


def _order_text(history: History, order: tuple[int, ...]) -> str:
    if len(order) > _MOST_SHOWN:
        return f"  an order of {len(order)} operations found and checked (--json shows it)"
    shown = (f"{history.operations[p].process}:{history.operations[p]}" for p in order)
    return f"  order: {' '.join(shown)}"


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


def overview_text(history: History, answers: list[Answer]) -> list[str]:
    """Every level as a table, then the borders of what is satisfied."""
    lines = [f"{history.name}: {len(history.operations)} operations, {len(history.processes())} processes"]
    lines += warning_lines(history_warnings(history))
    width = max(len(answer.level.name) for answer in answers) + 2
    for answer in answers:
        why = f"  {answer.reason}" if answer.verdict is Verdict.UNKNOWN else ""
        lines.append(
            f"  {answer.level.name:<{width}}{answer.verdict.value:<8} {answer.level.summary}"
            f" [{answer.algorithm}, {answer.seconds:.2f} s]{why}"
        )
    verdicts = {answer.level.name: answer.verdict for answer in answers}
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
