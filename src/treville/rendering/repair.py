"""Reports of `treville repair` as text: the verdict, each change with what it forbids, the patch."""

from __future__ import annotations

from treville.rendering.style import Style, verdict_word
from treville.results.notices import warning_lines
from treville.results.reports.repair import RepairReport
from treville.results.reports.source_changes import ForbiddenExecution, SourceChange


class RepairText:
    """One block for each program, or one line where there are many."""

    def __init__(self, alone: bool, style: Style) -> None:
        self._alone = alone
        self._style = style

    def add(self, report: RepairReport) -> str:
        """The text of one report."""
        if report.error is not None:
            return ""
        word = self._style.word(verdict_word(report))
        head = f"{report.file}: {word} ({report.about()})"
        lines = [head, *warning_lines(report.warnings)]
        if report.reason:
            lines.append(f"  {report.reason}")
        if self._alone:
            for change in report.changes:
                lines += _changed(change, report)
            if report.needed:
                lines.append("Needed as it is:")
                lines += [line for each in report.needed for line in _needed(each)]
            if report.failing is not None:
                lines += _failing(report.failing)
            if report.diff:
                lines += ["", report.diff.rstrip("\n")]
        return "\n".join(lines) + "\n"

    def finish(self) -> str:
        """Nothing is left to say."""
        return ""


def _place(change: SourceChange) -> str:
    return f"{change.file}:{change.line}:{change.column}"


def changed_line(change: SourceChange) -> str:
    """Where a change is, and what it is."""
    if not change.before:
        what = f"new fence {change.after}"
    elif not change.after:
        what = f"{change.before} is not needed"
    else:
        what = f"{change.before} becomes {change.after}"
    return f"{_place(change)}: {what}"


def _changed(change: SourceChange, report: RepairReport) -> list[str]:
    lines = [changed_line(change)]
    return lines if report.weaken else lines + _forbids(change.forbids, "forbids")


def _needed(change: SourceChange) -> list[str]:
    return [f"{_place(change)}: {change.after or change.before}", *_forbids(change.forbids, "prevents")]


def _forbids(found: ForbiddenExecution | None, verb: str) -> list[str]:
    if found is None:
        return []
    axiom = f" by {found.axiom}" if found.axiom else ""
    lines = [f"  {verb} under {found.model}{axiom}: {found.failure}"]
    return lines + [f"    {line}" for line in (found.text or "").splitlines()]


def _failing(found: ForbiddenExecution) -> list[str]:
    lines = [*found.execution.splitlines(), *found.text.splitlines()]
    return [f"Under {found.model}: {found.failure}", *(f"  {line}" for line in lines)]
