"""Reports of `treville check` as text: verdicts, a table for several models, failing executions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from treville.results.notices import warning_lines
from treville.witness.naming import line_name, thread_name

_USUAL = ("safety", "condition")
_COLOURS = {"PASS": "32", "FAIL": "31", "UNKNOWN": "33"}


def print_reports(file: str, reports: list[dict[str, Any]], stats: bool, executions: bool) -> None:
    """One file's answers: the verdict and its reason, or a table, then executions."""
    if len(reports) == 1:
        _print_single(reports[0])
    else:
        _print_table(file, reports)
    warnings = dict.fromkeys(warning for report in reports for warning in report["warnings"])
    for line in warning_lines(warnings):
        print(line, flush=True)
    if executions:
        _print_witnesses(reports)
    if stats:
        for report in reports:
            print(stats_text(report))


def _verdict(report: dict[str, Any]) -> str:
    return "error" if report["status"] == "error" else str(report["verdict"])


def _coloured(word: str, width: int = 0) -> str:
    padded = f"{word:<{width}}"
    colour = _COLOURS.get(word)
    return f"\033[{colour}m{padded}\033[0m" if colour and sys.stdout.isatty() else padded


def _print_single(report: dict[str, Any]) -> None:
    if report["status"] == "error":
        print(report.get("detail") or f"{report['file']}: error: {report['reason']}", file=sys.stderr)
        return
    bound = f", bound {report['bound']}" if report["bound"] else ""
    goal = "" if report["property"] in _USUAL else f", {report['property']}"
    print(f"{report['file']} under {report['model']}{goal}{bound}: {_coloured(report['verdict'])}")
    if report["reason"]:
        print(f"  {report['reason']}", flush=True)


def _print_table(file: str, reports: list[dict[str, Any]]) -> None:
    models = [Path(r["model"]).stem if r["model"].endswith(".cat") else r["model"] for r in reports]
    goals = [report["property"] for report in reports]
    columns = [["model", *models], *([["property", *goals]] if len(set(goals)) > 1 else [])]
    widths = [max(map(len, column)) for column in columns]
    head, *names = [
        "  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    ]
    print(f"{file}\n  {head}  verdict  bound  seconds  reason")
    for name, report in zip(names, reports, strict=True):
        word = _coloured(_verdict(report), 7)
        bound = str(report["bound"] or "-")
        reason = report["reason"].split("\n")[0]
        print(f"  {name}  {word}  {bound:>5}  {report['seconds']:>7.2f}  {reason}".rstrip())
    for detail in dict.fromkeys(r["detail"] for r in reports if r["status"] == "error" and "detail" in r):
        print(detail, file=sys.stderr)


def _print_witnesses(reports: list[dict[str, Any]]) -> None:
    for report in reports:
        shown = report["witness"]
        if _verdict(report) == "FAIL" and shown and "events" in shown:
            if len(reports) > 1:
                print(f"\nUnder {report['model']}: {report['reason']}")
            print(witness_text(shown, report["file"]))


def witness_text(shown: dict[str, Any], file: str) -> str:
    """The execution: step by step where it is an interleaving, else thread by thread and the cycle. Lines of
    other files than the one that was checked have their file's name."""
    events = {event["label"]: event for event in shown["events"]}
    sources = {target: source for source, target in shown["rf"]}
    if shown["interleaving"] is not None:
        order = shown["interleaving"]
        lines = [f"  an interleaving {_that_violates(shown)}:"]
    else:
        order = [event["label"] for event in sorted(shown["events"], key=lambda event: event["number"])]
        lines = [f"  an execution {_that_violates(shown)}, thread by thread; no interleaving explains it:"]
    told = [events[label] for label in order if not _is_call(events[label])]
    lines += _lines(told, sources, shown.get("race", []), file)
    lines += _waiting(shown.get("waiting", []), file)
    changed = [f"{source} -> {target}" for source, target in shown["co"]]
    if changed and shown["interleaving"] is None:
        lines.append(f"  coherence: {', '.join(changed)}")
    if shown.get("reordering"):
        lines.append("  not sequentially consistent:")
        lines += [f"    {line}" for line in shown["reordering"].split("\n")]
    return "\n".join(lines)


def _that_violates(shown: dict[str, Any]) -> str:
    if "race" in shown:
        return "with the race"
    return "that leads there" if "waiting" in shown else "that fails"


def _waiting(places: list[dict[str, Any]], file: str) -> list[str]:
    """Who waits where in the end."""
    rows = [(_thread(place), line_name(place["file"], place["line"], file), place) for place in places]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines = [
        f"    {thread:<{widths[0]}}  {line:<{widths[1]}}  {place['source']}".rstrip()
        for thread, line, place in rows
    ]
    return ["  and there these threads stay:", *lines] if lines else []


def _is_call(event: dict[str, Any]) -> bool:
    """The fences that creating and joining threads bring along need no line of their own."""
    called = ("pthread_create", "pthread_join", "thrd_create", "thrd_join")
    return " " not in event["does"] and any(name in event["source"] for name in called)


def _lines(events: list[dict[str, Any]], sources: dict[str, str], race: list[str], file: str) -> list[str]:
    """Thread, line, what happens, from where a read has its value, whether it races, and the source."""
    rows = []
    for event in events:
        source = sources.get(event["label"])
        does = event["does"] + (f" (from {source})" if source else "")
        does += " (race)" if event["label"] in race else ""
        place = line_name(event["file"], event["line"], file)
        rows.append((_thread(event), place, f"{event['label']}: {does}", event["source"]))
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    return [
        "    " + "  ".join(part.ljust(width) for part, width in zip(row, [*widths, 0], strict=True)).rstrip()
        for row in rows
    ]


def _thread(event: dict[str, Any]) -> str:
    return thread_name(event["number"], event["thread"])


def stats_text(report: dict[str, Any]) -> str:
    """What `--stats` prints: counts, seconds of each stage, pairs of each relation."""
    stats = dict(report["stats"])
    stages, relations = stats.pop("seconds", {}), stats.pop("relations", {})
    compiler = stats.pop("compiler", "")
    lines = [f"  {report['model']}: {_listed(stats)}{', ' if stats else ''}{report['seconds']:.2f} s"]
    if stages:
        lines.append(f"  seconds: {_listed(stages)}")
    if compiler:
        lines.append(f"  compiled by {compiler}")
    if relations:
        width = max(map(len, relations))
        lines.append(f"  {'pairs':<{width}}  {'may':>8}  {'must':>8}  {'active':>8}")
        for name, sizes in relations.items():
            lines.append(f"  {name:<{width}}  " + "  ".join(f"{size:>8}" for size in sizes.values()))
    return "\n".join(lines)


def _listed(counts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in counts.items())
