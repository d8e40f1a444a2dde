"""Reports of `treville port` as text: one in full, or a table for several programs or targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treville.rendering.herd import state_line
from treville.rendering.repair import changed_line
from treville.rendering.style import Style, verdict_word
from treville.results.notices import warning_lines
from treville.results.reports.port import Found, PortReport, Spot, Suggestion
from treville.results.reports.report import State, Status
from treville.results.verdict import Verdict


class PortText:
    """A block for a single answer, or a row for each program."""

    def __init__(self, files: Sequence[str], targets: Sequence[str], style: Style) -> None:
        self._targets = targets
        self._style = style
        self._alone = len(files) == 1
        self._table = len(files) > 1 or len(targets) > 1
        self._row: list[PortReport] = []
        self._width = min(72, max(len("Program"), *(len(Path(file).stem) for file in files)))
        self._started = False
        self._blocks: list[str] = []

    def add(self, report: PortReport) -> str:
        """A block, or the row when it is complete."""
        answered = report.status is not Status.ERROR
        if not self._table:
            return f"{block(report)}\n" if answered else ""
        self._row.append(report)
        if self._alone and answered:
            self._blocks.append(block(report))
        return self._printed_row() if len(self._row) == len(self._targets) else ""

    def _printed_row(self) -> str:
        shown = [_named(name) for name in self._targets]
        widths = [max(len("UNKNOWN"), len(name)) for name in shown]
        lines = []
        if not self._started:
            head = "  ".join(f"{name:<{width}}" for name, width in zip(shown, widths, strict=True))
            lines.append(f"{'Program':<{self._width}}  {head}".rstrip())
            self._started = True
        name = next((r.test for r in self._row if r.test), Path(self._row[0].file).stem)
        cells = [self._style.word(verdict_word(r), width) for r, width in zip(self._row, widths, strict=True)]
        lines.append(f"{name:<{self._width}}  {'  '.join(cells)}".rstrip())
        self._row = []
        return "\n".join(lines) + "\n"

    def finish(self) -> str:
        """Behind the row of a single program its answers in full."""
        return "".join(f"\n{text}\n" for text in self._blocks)


def _named(model: str) -> str:
    """A model's name; that of a file without its folder."""
    return Path(model).stem if model.endswith(".cat") else model


def block(report: PortReport) -> str:
    """One answer in full."""
    source, target = _named(report.source), _named(report.target)
    question = f"{report.notion} portability from {source} to {target}"
    lines = [f"{report.test or report.file}: {report.verdict.value} ({question})"]
    lines += warning_lines(report.warnings)
    if report.verdict is Verdict.PASS:
        lines.append(_passed(report))
    elif report.verdict is Verdict.UNKNOWN:
        lines.append(report.reason)
    for finding in report.findings:
        lines += _found(finding, report)
    if report.verdict is Verdict.FAIL and report.reason:
        lines.append(report.reason)
    if report.suggestion is not None:
        lines += _suggested(report.suggestion)
    elif report.verdict is Verdict.FAIL:
        lines.append("--suggest finds the cheapest changes for this, treville repair those for a property")
    return "\n".join(lines)


def _passed(report: PortReport) -> str:
    looked = report.differences
    what = "states" if report.notion == "state" else "executions"
    seen = f"{looked} {what} of new executions were looked at" if looked else "no execution is new"
    if report.dead and report.notion == "trace":
        seen = "no syntactically dead execution is new, others were not looked at"
    return f"{seen}; {report.reason or 'all loops are covered'}"


def _found(finding: Found, report: PortReport) -> list[str]:
    kind = finding.direction
    where, other = _named(report.target), _named(report.source)
    if kind == "lost":
        where, other = other, where
    end = _ending(finding.state)
    if report.notion == "trace":
        head = f"{kind.capitalize()} execution: {where} allows it, {other} does not; {end}"
    elif "assertion" in finding.state:
        failed = finding.state["assertion"]
        head = f"{kind.capitalize()} state: an assertion fails under {where}, never under {other}: {failed}"
    else:
        head = f"{kind.capitalize()} state: under {where} {end}, under {other} never"
    return [head, finding.execution, finding.text, *_steps(finding, where, report)]


def _ending(state: State) -> str:
    """How a run ends."""
    if "assertion" in state:
        return f"an assertion fails: {state['assertion']}"
    return f"it ends in {state_line(state).rstrip(';')}" if state else "it ends"


def _steps(finding: Found, where: str, report: PortReport) -> list[str]:
    """Which accesses changed places."""
    lines = []
    for step in finding.steps:
        if not step.kept:
            ends = _places(step.first, step.second, report, finding.lines_matter)
            line = f"  {_thread(step.thread, finding.lines_matter)}{ends[0]}, then {ends[1]}"
            if line not in lines:
                lines.append(line)
    return [f"{where} does not keep the order of:", *lines] if lines else []


def _thread(thread: int, lines_matter: bool) -> str:
    """Threads of C programs share their lines; a line of a litmus test has all threads side by side."""
    return "" if lines_matter else f"P{thread}: "


def _places(one: Spot, other: Spot, report: PortReport, lines_matter: bool) -> tuple[str, str]:
    """Two places of the program, with columns where they are on the same line."""
    if not lines_matter:
        return f"`{one.text}`", f"`{other.text}`"
    columns = one.line == other.line
    return _place(one, report, columns), _place(other, report, columns)


def _place(place: Spot, report: PortReport, columns: bool) -> str:
    """A line of the program; the file is named where it is another one."""
    if place.line is None or place.file is None:
        return f"`{place.text}`"
    name = Path(place.file).name
    other = f"{name} " if name != Path(report.file).name else ""
    if columns:
        return f"{other}line {place.line}, column {place.column}"
    return f"{other}line {place.line} `{place.text}`"


def _suggested(suggestion: Suggestion) -> list[str]:
    if not suggestion.changes:
        return [f"Nothing to suggest: {suggestion.note}"]
    lines = ["Portable with"]
    lines += [f"  {changed_line(change)}" for change in suggestion.changes]
    return [*lines, *([suggestion.note] if suggestion.note else [])]
