"""Reports of `treville port` as text: one in full, or a table for several programs or targets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from treville.campaigns.herd import state_line
from treville.results.notices import warning_lines

_COLOURS = {"PASS": "32", "FAIL": "31", "UNKNOWN": "33"}


class Printer:
    """Prints reports as they come: a block each, or a row for each program."""

    def __init__(self, files: list[str], targets: list[str]) -> None:
        self._targets = targets
        self._alone = len(files) == 1
        self._table = len(files) > 1 or len(targets) > 1
        self._row: list[dict[str, Any]] = []
        self._width = min(72, max(len("Program"), *(len(Path(file).stem) for file in files)))
        self._started = False
        self._colour = sys.stdout.isatty()
        self._blocks: list[str] = []

    def add(self, report: dict[str, Any]) -> None:
        """Print a report, or keep it until its row is complete."""
        if report["status"] == "error":
            detail = report.get("detail") or f"error: {report['reason']}"
            named = report["file"] in detail
            print(detail if named else f"{report['file']}: {detail}", file=sys.stderr)
        if not self._table:
            if report["status"] != "error":
                print(block(report), flush=True)
            return
        self._row.append(report)
        if self._alone and report["status"] != "error":
            self._blocks.append(block(report))
        if len(self._row) == len(self._targets):
            self._print_row()
            if self._alone:
                print("".join(f"\n{text}\n" for text in self._blocks), end="", flush=True)

    def _print_row(self) -> None:
        shown = [_named(name) for name in self._targets]
        widths = [max(len("UNKNOWN"), len(name)) for name in shown]
        if not self._started:
            head = "  ".join(f"{name:<{width}}" for name, width in zip(shown, widths, strict=True))
            print(f"{'Program':<{self._width}}  {head}".rstrip())
            self._started = True
        name = next((r["test"] for r in self._row if r["test"]), Path(self._row[0]["file"]).stem)
        cells = [self._cell(r, width) for r, width in zip(self._row, widths, strict=True)]
        print(f"{name:<{self._width}}  {'  '.join(cells)}".rstrip(), flush=True)
        self._row = []

    def _cell(self, report: dict[str, Any], width: int) -> str:
        text = "error" if report["status"] == "error" else str(report["verdict"])
        padded = f"{text:<{width}}"
        colour = _COLOURS.get(text)
        return f"\033[{colour}m{padded}\033[0m" if self._colour and colour else padded


def _named(model: str) -> str:
    """A model's name; that of a file without its folder."""
    return Path(model).stem if model.endswith(".cat") else model


def block(report: dict[str, Any]) -> str:
    """One answer in full."""
    source, target = _named(report["source"]), _named(report["target"])
    question = f"{report['notion']} portability from {source} to {target}"
    lines = [f"{report['test'] or report['file']}: {report['verdict']} ({question})"]
    lines += warning_lines(report["warnings"])
    if report["verdict"] == "PASS":
        lines.append(_passed(report))
    elif report["verdict"] == "UNKNOWN":
        lines.append(report["reason"])
    for finding in report["findings"]:
        lines += _found(finding, report)
    if report["verdict"] == "FAIL" and report["reason"]:
        lines.append(report["reason"])
    if "suggestion" in report:
        lines += _suggested(report["suggestion"], report)
    return "\n".join(lines)


def _passed(report: dict[str, Any]) -> str:
    looked = report["differences"]
    what = "states" if report["notion"] == "state" else "executions"
    seen = f"{looked} {what} of new executions were looked at" if looked else "no execution is new"
    if report["dead"] and report["notion"] == "trace":
        seen = "no syntactically dead execution is new, others were not looked at"
    return f"{seen}; {report['reason'] or 'all loops are covered'}"


def _found(finding: dict[str, Any], report: dict[str, Any]) -> list[str]:
    kind = finding["direction"]
    where, other = _named(report["target"]), _named(report["source"])
    if kind == "lost":
        where, other = other, where
    end = _ending(finding["state"])
    if report["notion"] == "trace":
        head = f"{kind.capitalize()} execution: {where} allows it, {other} does not; {end}"
    elif "assertion" in finding["state"]:
        failed = finding["state"]["assertion"]
        head = f"{kind.capitalize()} state: an assertion fails under {where}, never under {other}: {failed}"
    else:
        head = f"{kind.capitalize()} state: under {where} {end}, under {other} never"
    return [head, finding["execution"], finding["text"], *_steps(finding, where, report)]


def _ending(state: dict[str, Any]) -> str:
    """How a run ends."""
    if "assertion" in state:
        return f"an assertion fails: {state['assertion']}"
    return f"it ends in {state_line(state).rstrip(';')}" if state else "it ends"


def _steps(finding: dict[str, Any], where: str, report: dict[str, Any]) -> list[str]:
    """Which accesses changed places."""
    lines = []
    for step in finding["steps"]:
        if not step["kept"]:
            ends = _places(step["first"], step["second"], report, finding["lines_matter"])
            line = f"  {_thread(step, finding['lines_matter'])}{ends[0]}, then {ends[1]}"
            if line not in lines:
                lines.append(line)
    return [f"{where} does not keep the order of:", *lines] if lines else []


def _thread(place: dict[str, Any], lines_matter: bool) -> str:
    """Threads of C programs share their lines; a line of a litmus test has all threads side by side."""
    return "" if lines_matter else f"P{place['thread']}: "


def _places(
    one: dict[str, Any], other: dict[str, Any], report: dict[str, Any], lines_matter: bool
) -> tuple[str, str]:
    """Two places of the program, with columns where they are on the same line."""
    if not lines_matter:
        return f"`{one['text']}`", f"`{other['text']}`"
    columns = one.get("line") == other.get("line")
    return _place(one, report, columns), _place(other, report, columns)


def _place(place: dict[str, Any], report: dict[str, Any], columns: bool) -> str:
    """A line of the program; the file is named where it is another one."""
    if "line" not in place:
        return f"`{place['text']}`"
    name = Path(place["file"]).name
    other = f"{name} " if name != Path(report["file"]).name else ""
    if columns:
        return f"{other}line {place['line']}, column {place['column']}"
    return f"{other}line {place['line']} `{place['text']}`"


def _suggested(suggestion: dict[str, Any], report: dict[str, Any]) -> list[str]:
    if not suggestion["places"]:
        return [f"No fences to suggest: {suggestion['note']}"]
    lines_matter = all(finding["lines_matter"] for finding in report["findings"])
    lines = ["Portable with"]
    for place in suggestion["places"]:
        ends = _places(place["after"], place["before"], report, lines_matter)
        where = f"{_thread(place, lines_matter)}{place['fence']}"
        lines.append(f"  {where} between {ends[0]} and {ends[1]}")
    return lines
