"""Reports -> SARIF 2.1.0, which code hosts and editors show beside the source.

A FAIL is a result at its line. Its execution is one code flow with a thread flow for each thread; steps
carry their place in the execution (`executionOrder`) where it is an interleaving. Where it is none, the
cycle that sequential consistency forbids is a graph whose nodes are the events, which are related
locations, too. Wrong input, and questions without an answer, are notifications of the run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from treville import __version__
from treville.results.reports.check import CheckReport, Witness, WitnessEvent
from treville.results.reports.report import Place, Report, Status
from treville.results.verdict import ExitCode, Verdict, batch_exit

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "assertion": "An assertion can fail",
    "condition": "The condition of a litmus test does not hold",
    "access": "Memory is accessed that may not be",
    "free": "Memory is freed that may not be",
    "leak": "Memory is lost",
    "undefined": "The behaviour is undefined",
    "race": "Conflicting accesses are not ordered",
    "deadlock": "Threads wait for ever",
    "liveness": "A thread may never end",
    "port": "The program behaves otherwise under the new memory model",
    "repair": "No fences or memory orders make the program right",
    "compare": "The memory models differ",
    "history": "The recorded run is not possible at the consistency level",
    "param": "An unsafe state is reachable",
    "petri": "The marking is reachable",
}


def sarif(command: str, reports: Sequence[Report]) -> str:
    """One run with the answers of a command."""
    failures = [r for r in reports if r.verdict is Verdict.FAIL and r.status is not Status.ERROR]
    rules = list(dict.fromkeys(_rule(command, report) for report in failures))
    code = batch_exit(report.exit_code for report in reports)
    run = {
        "tool": {
            "driver": {
                "name": "Treville",
                "semanticVersion": __version__,
                "rules": [
                    {"id": rule, "shortDescription": {"text": _RULES.get(rule, rule)}} for rule in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": code not in (ExitCode.INPUT, ExitCode.INTERNAL),
                "exitCode": int(code),
                "toolExecutionNotifications": [_notification(r) for r in reports if _is_told(r)],
            }
        ],
        "results": [_result(command, report, rules) for report in failures],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _is_told(report: Report) -> bool:
    return report.status is Status.ERROR or report.verdict is Verdict.UNKNOWN


def _notification(report: Report) -> dict[str, Any]:
    level = "error" if report.status is Status.ERROR else "note"
    return {"level": level, "message": _message(report.reason), "locations": _locations(report)}


def _locations(report: Report) -> list[dict[str, Any]]:
    place = report.shown_at()
    return [] if place is None else [_location(place)]


def _rule(command: str, report: Report) -> str:
    return (report.violated or "assertion") if isinstance(report, CheckReport) else command


def _result(command: str, report: Report, rules: list[str]) -> dict[str, Any]:
    rule = _rule(command, report)
    about = f" ({report.about()})" if report.about() else ""
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": "error",
        "message": _message(f"{report.reason or _RULES.get(rule, rule)}{about}"),
        "locations": _locations(report),
    }
    shown = report.witness if isinstance(report, CheckReport) else None
    if shown is not None and shown.events:
        result["codeFlows"] = [_code_flow(shown, report.file)]
        if shown.cycle:
            events = _on_cycle(shown)
            result["relatedLocations"] = [
                {"id": number, **_location(_place_of(event, report.file), _told(event))}
                for number, event in enumerate(events)
            ]
            result["graphs"] = [_graph(shown, events, report.file)]
    return result


# -- executions -----------------------------------------------------------------------------------------


def _code_flow(shown: Witness, file: str) -> dict[str, Any]:
    order = {label: number for number, label in enumerate(shown.interleaving or (), 1)}
    threads: dict[int, list[WitnessEvent]] = {}
    for event in shown.events:
        threads.setdefault(event.number, []).append(event)
    return {
        "message": _message(shown.failure),
        "threadFlows": [
            {
                "id": f"{number} {events[0].thread}",
                "locations": [_step(event, order.get(event.label), file) for event in events],
            }
            for number, events in sorted(threads.items())
        ],
    }


def _step(event: WitnessEvent, position: int | None, file: str) -> dict[str, Any]:
    step: dict[str, Any] = {"location": _location(_place_of(event, file), _told(event))}
    if position is not None:
        step["executionOrder"] = position
    return step


def _on_cycle(shown: Witness) -> list[WitnessEvent]:
    """The program's own events on the cycle, in the order of the cycle."""
    events = {event.label: event for event in shown.events}
    labels = dict.fromkeys(label for step in shown.cycle or () for label in (step["from"], step["to"]))
    return [events[label] for label in labels if label in events]


def _graph(shown: Witness, events: list[WitnessEvent], file: str) -> dict[str, Any]:
    known = {event.label for event in events}
    steps = [s for s in shown.cycle or () if s["from"] in known and s["to"] in known]
    return {
        "description": _message("a cycle that sequential consistency forbids"),
        "nodes": [
            {
                "id": event.label,
                "label": _message(_told(event)),
                "location": _location(_place_of(event, file)),
            }
            for event in events
        ],
        "edges": [
            {
                "id": str(number),
                "label": _message(step["relation"]),
                "sourceNodeId": step["from"],
                "targetNodeId": step["to"],
            }
            for number, step in enumerate(steps)
        ],
    }


def _told(event: WitnessEvent) -> str:
    return f"{event.thread}: {event.label}: {event.does}"


def _place_of(event: WitnessEvent, file: str) -> Place:
    return event.place or Place(file=file, line=1)


# -- pieces ---------------------------------------------------------------------------------------------


def _message(text: str) -> dict[str, str]:
    return {"text": text.encode(errors="replace").decode() or "?"}


def _location(place: Place, message: str = "") -> dict[str, Any]:
    region = {"startLine": max(1, place.line)}
    if place.column:
        region["startColumn"] = place.column
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(place.file)}, "region": region}
    }
    if message:
        location["message"] = _message(message)
    return location


def _uri(file: str) -> str:
    """A file's name as a URI: relative names stay relative."""
    path = quote(PurePath(file).as_posix(), errors="surrogateescape")
    return f"file://{path}" if path.startswith("/") else path
