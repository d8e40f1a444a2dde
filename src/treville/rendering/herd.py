"""herd7's text: reports written as it writes its answers, and its logs read as reports.

A block is `Test NAME KIND`, `States N`, the states, `Ok` or `No`, `Witnesses`, the counts, flags, the
condition, `Observation` and `Time`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from treville.results.reports.report import State

Loaded: TypeAlias = "dict[str, Any]"
"""An answer as it is read from a log or a result file."""

_KINDS = {"exists": "Allowed", "~exists": "Forbidden", "forall": "Required"}
_CONDITIONS = {kind: condition for condition, kind in _KINDS.items()}


class Answered(Protocol):
    """What a block needs to know of an answer."""

    @property
    def test(self) -> str:
        """The name of the test."""

    @property
    def condition(self) -> str | None:
        """How the condition is quantified."""

    @property
    def condition_text(self) -> str:
        """The condition as it was written."""

    @property
    def holds(self) -> bool | None:
        """Whether it holds, if that is known."""

    @property
    def observation(self) -> str | None:
        """How often it was seen."""

    @property
    def states(self) -> Sequence[State]:
        """The final states."""

    @property
    def states_complete(self) -> bool:
        """Whether these are all."""

    @property
    def flags(self) -> Sequence[str]:
        """Flags that executions raise."""

    @property
    def positive(self) -> int | None:
        """Executions that satisfy the condition."""

    @property
    def negative(self) -> int | None:
        """Those that do not."""

    @property
    def positive_states(self) -> int:
        """States that satisfy it."""

    @property
    def negative_states(self) -> int:
        """States that do not."""

    @property
    def bound_reached(self) -> bool:
        """Whether a loop was cut."""

    @property
    def seconds(self) -> float:
        """How long it took."""


def herd_block(report: Answered) -> str:
    """The answer as herd7 prints it, so that scripts which read its logs read this."""
    positive, negative = counts(report)
    condition = report.condition or "exists"
    lines = [f"Test {report.test} {_KINDS[condition]}", _count(report)]
    lines += [state_line(state) for state in report.states]
    verdict = {True: "Ok", False: "No", None: "Undef"}[report.holds]
    if report.observation == "Unknown" and report.holds is None and not report.flags:
        verdict = "Unknown"
    lines.append(f"Loop {verdict}" if report.bound_reached else verdict)
    lines += ["Witnesses", f"Positive: {positive} Negative: {negative}"]
    lines += [f"Flag {flag}" for flag in report.flags]
    lines.append(f"Condition {condition} ({bare(report.condition_text)})")
    if condition == "~exists":
        positive, negative = negative, positive
    lines.append(f"Observation {report.test} {report.observation} {positive} {negative}")
    lines.append(f"Time {report.test} {report.seconds:.2f}")
    return "\n".join(lines) + "\n"


def _count(report: Answered) -> str:
    """The line that counts the states; where there are too many to list, it says that there are more."""
    return f"States {len(report.states)}{'' if report.states_complete else ' and more'}"


def counts(report: Answered) -> tuple[int, int]:
    """Positive and negative executions; states, where the engine does not count executions."""
    if report.positive is not None and report.negative is not None:
        return report.positive, report.negative
    return report.positive_states, report.negative_states


def bare(condition: str) -> str:
    """The proposition without quantifier and outer parentheses."""
    text = " ".join(condition.split())
    for word in ("~exists", "exists", "forall", "not exists"):
        text = text.removeprefix(word).strip()
    while text.startswith("(") and _closes_at_end(text):
        text = text[1:-1].strip()
    return text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def state_line(state: dict[str, Any]) -> str:
    """`0:EAX=0; [x]=1; a={1,2};` as herd7 spells a state."""
    return " ".join(f"{_spelled(name, value)};" for name, value in state.items())


def _spelled(name: str, value: Any) -> str:
    if isinstance(value, list):
        return f"{name}={{{','.join(map(str, value))}}}"
    is_register = name.split(":", 1)[0].isdigit() and ":" in name
    return f"{name}={value}" if is_register or "[" in name else f"[{name}]={value}"


# -- reading ---------------------------------------------------------------------------------------

_FIELD = re.compile(r"\s*([^=;]+?)\s*=\s*([^;]*?)\s*(?:;|$)")


def parse_state(text: str) -> dict[str, Any]:
    """A state of a log as an object; `[x]` is `x`, numbers are numbers, `{1,2}` is a list.

    >>> parse_state("0:EAX=0; [x]=y; a={1,2};")
    {'0:EAX': 0, 'x': 'y', 'a': [1, 2]}
    """
    state: dict[str, Any] = {}
    for name, value in _FIELD.findall(text):
        if name.startswith("[") and name.endswith("]"):
            name = name[1:-1]
        if value.startswith("{") and value.endswith("}"):
            state[name] = [_number(part.strip()) for part in value[1:-1].split(",") if part.strip()]
        else:
            state[name] = _number(value)
    return state


def _number(text: str) -> int | str:
    try:
        return int(text, 0)
    except ValueError:
        return text


def parse_log(lines: Iterable[str]) -> Iterator[Loaded]:
    """The answers in a log of herd7 (or of a litmus run): anything between blocks is skipped."""
    report: Loaded | None = None
    states_left = 0
    for line in lines:
        line = line.rstrip()
        words = line.split()
        if len(words) == 3 and words[0] == "Test" and words[2] in _CONDITIONS:
            if report is not None:
                yield report
            report = _opened(words)
            states_left = 0
        elif report is None or not words:
            continue
        elif states_left:
            states_left -= 1
            report["states"].append(parse_state(line.split(">", 1)[-1]))
        elif words[0] == "States" and len(words) >= 2 and words[1].isdigit():
            states_left = int(words[1])
        else:
            _read_line(report, words)
    if report is not None:
        yield report


def _opened(words: list[str]) -> Loaded:
    return {
        "file": "",
        "test": words[1],
        "model": "",
        "status": "done",
        "condition": _CONDITIONS[words[2]],
        "holds": None,
        "observation": None,
        "states": [],
        "flags": [],
    }


def _read_line(report: Loaded, words: list[str]) -> None:
    if words in (["Ok"], ["Loop", "Ok"], ["No"], ["Loop", "No"]):
        report["holds"] = words[-1] == "Ok"
    elif words[0] == "Flag" and len(words) == 2:
        report["flags"].append(words[1])
    elif words[0] == "Observation" and len(words) >= 3:
        report["observation"] = words[2]
