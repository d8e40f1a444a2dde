"""Reports of `treville litmus` as text: executions, a table for several models, progress, a summary."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from treville.campaigns.herd import state_line
from treville.results.notices import warning_lines

_COLOURS = {"Never": "31", "Sometimes": "33", "Always": "32"}


def witness_block(report: dict[str, Any]) -> str:
    """Warnings, and the explanation or the executions that were asked for; nothing where there are none."""
    out = warning_lines(report.get("warnings", []), f"{report['test']}: ")
    out += [""] if out else []
    for number, execution in enumerate(report.get("executions", []), 1):
        judgement = "allowed" if execution["allowed"] else "forbidden"
        out.append(f"Execution {number} of {report['test']}: {judgement}, {state_line(execution['state'])}")
        out.append(execution["execution"] if "execution" in execution else execution["text"])
        if not execution["allowed"]:
            out.append(execution["text"])
        out.append("")
    if report.get("executions_cut"):
        out.append("More executions exist; they are not shown.\n")
    if "explanation" in report:
        explanation = report["explanation"]
        out.append(f"Why {report['test']} never ends in {state_line(explanation['state'])}")
        out += [explanation["execution"], explanation["text"], ""]
    if "note" in report:
        out += [f"{report['test']}: {report['note']}", ""]
    for flagged in report.get("flagged", []):
        out.append(f"Why {report['test']} raises the flag {flagged['flag']}: {state_line(flagged['state'])}")
        out += [flagged["execution"], flagged["text"], ""]
    return "\n".join(out) + "\n" if out else ""


def print_error(report: dict[str, Any]) -> None:
    """A test without an answer, on standard error."""
    if report["status"] == "unknown":
        print(f"{report['file']}: unknown: {report['reason']}", file=sys.stderr)
    else:
        print(report.get("detail") or f"{report['file']}: error: {report['reason']}", file=sys.stderr)


class Table:
    """Tests down, models across; a row is printed when its last model has answered."""

    def __init__(self, files: list[str], models: list[str]) -> None:
        self._models = models
        self._shown = [Path(model).stem if model.endswith(".cat") else model for model in models]
        self._row: list[dict[str, Any]] = []
        self._explained: list[str] = []
        self._first = True
        self._width = min(44, max([len("Test"), *(len(Path(file).stem) for file in files)]))
        self._colour = sys.stdout.isatty()

    def add(self, report: dict[str, Any]) -> None:
        """Take the next answer."""
        self._row.append(report)
        block = witness_block(report)
        if block:
            self._explained.append(f"Under {report['model']}:\n{block}")
        if len(self._row) == len(self._models):
            self._print_row()

    def _print_row(self) -> None:
        if self._first:
            head = "  ".join(f"{name:<{self._cell_width(name)}}" for name in self._shown)
            print(f"{'Test':<{self._width}}  {head}".rstrip())
            self._first = False
        name = next((r["test"] for r in self._row if r["test"]), Path(self._row[0]["file"]).stem)
        cells = [self._cell(r, s) for r, s in zip(self._row, self._shown, strict=True)]
        print(f"{name:<{self._width}}  {'  '.join(cells)}".rstrip(), flush=True)
        self._row = []

    def _cell(self, report: dict[str, Any], name: str) -> str:
        text = cell_text(report)
        padded = f"{text:<{self._cell_width(name)}}"
        colour = _COLOURS.get(text)
        return f"\033[{colour}m{padded}\033[0m" if self._colour and colour else padded

    @staticmethod
    def _cell_width(name: str) -> int:
        return max(len("Sometimes"), len(name))

    def finish(self) -> None:
        """After the table, the explanations."""
        for block in self._explained:
            print(f"\n{block}", end="")


def cell_text(report: dict[str, Any]) -> str:
    """One word for an answer."""
    if report["status"] != "done":
        return str(report["status"])
    return "Undef" if report["holds"] is None else str(report["observation"])


class Summary:
    """Progress on a terminal's standard error while a batch runs, and one line at its end."""

    def __init__(self, total: int, quiet: bool) -> None:
        self._total = total
        self._done = 0
        self._status = {"done": 0, "unknown": 0, "error": 0}
        self._live = not quiet and total > 1 and sys.stderr.isatty() and not sys.stdout.isatty()
        self._final = not quiet and total > 1

    def add(self, report: dict[str, Any]) -> None:
        """Count an answer."""
        self._done += 1
        self._status[report["status"]] += 1
        if self._live:
            line = f"[{self._done}/{self._total}] {report['file']}"
            print(f"\r\033[K{line[:100]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Make room for a message."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr)

    def finish(self, seconds: float) -> None:
        """The last line."""
        self.clear()
        if self._final:
            parts = ", ".join(f"{count} {status}" for status, count in self._status.items() if count)
            print(f"{self._done} answers in {seconds:.1f} s: {parts or 'none'}", file=sys.stderr)
