"""One question of somebody else's suite, what they expect, and how an answer compares with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class Expected(StrEnum):
    """What a suite says of a program."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    SAFE_TO_BOUND = "safe to the bound"  # nothing found up to a bound: a proof or a limit are both right


class Outcome(StrEnum):
    """What an answer is, seen from the suite."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"  # a limit was met first
    REFUSED = "refused"  # something in the input is not supported
    BROKEN = "broken"  # an internal error, or no answer at all


@dataclass(frozen=True)
class Case:
    """A question: `arguments` are those of `treville`, beside the file."""

    suite: str
    family: str
    file: Path
    arguments: tuple[str, ...]
    expected: Expected

    @property
    def command(self) -> str:
        """What a person would type for it, and its name in logs."""
        return " ".join((*self.arguments, self.file.as_posix()))


def judge(expected: Expected, report: Mapping[str, Any]) -> Outcome:
    """The report of a question -> how it compares with what is expected.

    >>> judge(Expected.SAFE, {"verdict": "PASS"}), judge(Expected.SAFE, {"verdict": "FAIL"})
    (<Outcome.RIGHT: 'right'>, <Outcome.WRONG: 'wrong'>)
    >>> judge(Expected.SAFE, {"status": "error", "reason": "internal error: KeyError"})
    <Outcome.BROKEN: 'broken'>
    """
    verdict, reason = report.get("verdict"), str(report.get("reason", ""))
    if report.get("status") == "error":
        return Outcome.BROKEN if reason.startswith("internal error") else Outcome.REFUSED
    if verdict == "UNKNOWN":
        bounded = expected is Expected.SAFE_TO_BOUND and "up to the bound" in reason
        return Outcome.RIGHT if bounded else Outcome.UNKNOWN
    if verdict not in ("PASS", "FAIL"):
        return Outcome.BROKEN
    return Outcome.RIGHT if (verdict == "FAIL") == (expected is Expected.UNSAFE) else Outcome.WRONG
