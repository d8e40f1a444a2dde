"""Reports of `treville litmus` as text: herd7's blocks with executions, or a table for several models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from treville.rendering.herd import herd_block, state_line
from treville.rendering.style import Style
from treville.results.notices import warning_lines
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.report import Status


def litmus_text(files: Sequence[str], models: Sequence[str], style: Style) -> Blocks | Table:
    """A block for each test, or a table where there are several models."""
    return Table(files, models, style) if len(models) > 1 else Blocks()


class Blocks:
    """Tests as herd7 prints them."""

    def add(self, report: LitmusReport) -> str:
        """A test's block."""
        if report.observation is None:
            return ""
        return f"{herd_block(report)}\n{witness_block(report)}"

    def finish(self) -> str:
        """Nothing is left."""
        return ""


def witness_block(report: LitmusReport) -> str:
    """Warnings, and the explanation or the executions that were asked for; nothing where there are none."""
    out = warning_lines(report.warnings, f"{report.test}: ")
    out += [""] if out else []
    for number, execution in enumerate(report.executions or (), 1):
        judgement = "allowed" if execution.allowed else "forbidden"
        out.append(f"Execution {number} of {report.test}: {judgement}, {state_line(execution.state)}")
        out.append(execution.execution)
        if execution.forbidden is not None:
            out.append(execution.forbidden.text)
        out.append("")
    if report.executions_cut:
        out.append("More executions exist; they are not shown.\n")
    if report.explanation is not None:
        explanation = report.explanation
        out.append(f"Why {report.test} never ends in {state_line(explanation.state)}")
        out += [explanation.execution, explanation.text, ""]
    if report.note is not None:
        out += [f"{report.test}: {report.note}", ""]
    for flagged in report.flagged or ():
        out.append(f"Why {report.test} raises the flag {flagged.flag}: {state_line(flagged.state)}")
        out += [flagged.execution, flagged.text, ""]
    return "\n".join(out) + "\n" if out else ""


class Table:
    """Tests down, models across; a row is printed when its last model has answered."""

    def __init__(self, files: Sequence[str], models: Sequence[str], style: Style) -> None:
        self._shown = [Path(model).stem if model.endswith(".cat") else model for model in models]
        self._style = style
        self._row: list[LitmusReport] = []
        self._explained: list[str] = []
        self._first = True
        self._width = min(44, max([len("Test"), *(len(Path(file).stem) for file in files)]))

    def add(self, report: LitmusReport) -> str:
        """Take the next answer."""
        self._row.append(report)
        block = witness_block(report)
        if block:
            self._explained.append(f"Under {report.model}:\n{block}")
        return self._printed_row() if len(self._row) == len(self._shown) else ""

    def _printed_row(self) -> str:
        lines = []
        if self._first:
            head = "  ".join(f"{name:<{self._cell_width(name)}}" for name in self._shown)
            lines.append(f"{'Test':<{self._width}}  {head}".rstrip())
            self._first = False
        name = next((r.test for r in self._row if r.test), Path(self._row[0].file).stem)
        cells = [
            self._style.word(cell_text(r), self._cell_width(s))
            for r, s in zip(self._row, self._shown, strict=True)
        ]
        lines.append(f"{name:<{self._width}}  {'  '.join(cells)}".rstrip())
        self._row = []
        return "\n".join(lines) + "\n"

    @staticmethod
    def _cell_width(name: str) -> int:
        return max(len("Sometimes"), len(name))

    def finish(self) -> str:
        """After the table, the explanations."""
        return "".join(f"\n{block}" for block in self._explained)


def cell_text(report: LitmusReport) -> str:
    """One word for an answer."""
    if report.status is not Status.DONE:
        return report.status.value
    return "Undef" if report.holds is None else str(report.observation)
