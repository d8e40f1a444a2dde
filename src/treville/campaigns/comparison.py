"""Two result files -> what changed: verdicts, states gained and lost, tests that only one of them has.

Either file may be JSON lines (of `treville litmus --json`, or any with `file` or `test` and `states`) or a
log of herd7; mcompare7 does the same for logs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from treville.campaigns.journal import report_in
from treville.records import dataclass, field
from treville.rendering.herd import Loaded, parse_log, parse_state
from treville.results import InputError, Span

State: TypeAlias = "frozenset[tuple[str, str]]"
ResultKey: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True, slots=True)
class Result:
    """One answer, reduced to what is compared."""

    file: str
    test: str
    model: str
    answered: bool
    observation: str
    holds: str
    flags: tuple[str, ...]
    states: dict[State, str]


@dataclass(slots=True)
class Difference:
    """What differs for one test. `lost` and `gained` are states of the first and the second file."""

    name: str
    left: Result | None
    right: Result | None
    changes: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    gained: list[str] = field(default_factory=list)
    comparable: bool = True


@dataclass(slots=True)
class Comparison:
    """All differences, and how many tests agree."""

    differences: list[Difference]
    same: int


def read_reports(path: str) -> Iterator[Loaded]:
    """The reports of a file of JSON lines, or of a journal; a wrong line is an input error with its place."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    found = json.loads(line)
                except (ValueError, RecursionError):
                    raise InputError("this line is not JSON", Span(path, number, 1, 1, line[:200])) from None
                if not isinstance(found, dict):
                    raise InputError("expected an object", Span(path, number, 1, 1, line[:200]))
                report = report_in(found)
                if report is not None:
                    yield report
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", Span(path, 1, 1)) from None


def read_results(path: str) -> list[Result]:
    """The answers of a result file."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as lines:
            start = lines.read(4096).lstrip()
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", Span(path, 1, 1)) from None
    if start.startswith("{"):
        reports: Iterable[Loaded] = read_reports(path)
    else:
        reports = parse_log(Path(path).read_text(encoding="utf-8", errors="replace").splitlines())
    results = [_result(report) for report in reports]
    if not results:
        raise InputError("no results in this file", Span(path, 1, 1), "expected JSON lines or a herd7 log")
    return results


def _result(report: Loaded) -> Result:
    observation = str(report.get("observation") or "")
    answered = report.get("status", "done") == "done" and observation in ("Never", "Sometimes", "Always")
    states = {}
    listed = report.get("states")
    for state in listed if isinstance(listed, list) else []:
        fields = parse_state(state) if isinstance(state, str) else state
        if isinstance(fields, dict):
            states[_normal(fields)] = _shown(fields)
    flags = report.get("flags")
    return Result(
        str(report.get("file") or ""),
        str(report.get("test") or ""),
        str(report.get("model") or ""),
        answered,
        observation,
        _holds(report),
        tuple(sorted(map(str, flags))) if isinstance(flags, list) else (),
        states,
    )


def _holds(report: Loaded) -> str:
    """`Ok`, `No`, `Undef`, or nothing where the file does not say."""
    if "holds" in report:
        return {True: "Ok", False: "No"}.get(report["holds"], "Undef")
    words = str(report.get("verdict") or "").split()
    return words[-1] if words and words[-1] in ("Ok", "No", "Undef") else ""


def _normal(fields: dict[str, Any]) -> State:
    return frozenset((name, json.dumps(value)) for name, value in fields.items())


def _shown(fields: dict[str, Any]) -> str:
    return " ".join(
        f"{name}={{{','.join(map(str, value))}}};" if isinstance(value, list) else f"{name}={value};"
        for name, value in sorted(fields.items())
    )


# -- matching --------------------------------------------------------------------------------------

KeyOf: TypeAlias = "Callable[[Result], ResultKey]"


def _keys(results: list[Result]) -> list[KeyOf]:
    """Ways to tell the results of a file apart, the surest first."""
    folder = os.path.commonpath([str(Path(r.file).parent) for r in results]) if results else ""
    return [
        lambda r: (r.file, r.model),
        lambda r: (r.file,),
        lambda r: (os.path.relpath(r.file or ".", folder or "."), r.model),
        lambda r: (os.path.relpath(r.file or ".", folder or "."),),
        lambda r: (r.test, r.model),
        lambda r: (r.test,),
    ]


def _best_keys(left: list[Result], right: list[Result]) -> tuple[KeyOf, KeyOf]:
    """The keys that match most results of one file to the other's: models may differ (two models are
    compared) and so may paths (another machine, a log of herd7)."""

    def quality(keys: tuple[KeyOf, KeyOf]) -> int:
        ours, theirs = {keys[0](r) for r in left}, {keys[1](r) for r in right}
        repeated = len(left) - len(ours) + len(right) - len(theirs)
        return len(ours & theirs) - repeated

    return max(zip(_keys(_with_files(left)), _keys(_with_files(right)), strict=True), key=quality)


def _with_files(results: list[Result]) -> list[Result]:
    """Those of them whose paths can be compared: all absolute or all relative."""
    named = [result for result in results if result.file]
    absolute = [result for result in named if Path(result.file).is_absolute()]
    return absolute if len(absolute) == len(named) else [r for r in named if r not in absolute]


def compare(left: list[Result], right: list[Result]) -> Comparison:
    """What changes from the first results to the second."""
    our_key, their_key = _best_keys(left, right)
    ours = {our_key(result): result for result in left}
    theirs = {their_key(result): result for result in right}
    differences = []
    same = 0
    for name in dict.fromkeys([*ours, *theirs]):
        difference = _difference(name, ours.get(name), theirs.get(name))
        if difference is None:
            same += 1
        else:
            differences.append(difference)
    return Comparison(differences, same)


def _difference(key: ResultKey, left: Result | None, right: Result | None) -> Difference | None:
    named = left or right
    assert named is not None
    shown = named.test or Path(named.file).stem
    difference = Difference(
        f"{shown} ({' '.join(k for k in key if k != shown)})".removesuffix(" ()"), left, right
    )
    if left is None or right is None:
        return difference
    if not left.answered or not right.answered:
        difference.comparable = False
        return difference if left.answered != right.answered else None
    for what in ("observation", "holds", "flags"):
        before, after = getattr(left, what), getattr(right, what)
        if before != after and (what != "holds" or (before and after)):
            difference.changes.append(f"{what}: {_word(before)} -> {_word(after)}")
    difference.lost = sorted(shown for state, shown in left.states.items() if state not in right.states)
    difference.gained = sorted(shown for state, shown in right.states.items() if state not in left.states)
    return difference if difference.changes or difference.lost or difference.gained else None


def _word(value: object) -> str:
    return (", ".join(value) or "none") if isinstance(value, tuple) else str(value)
