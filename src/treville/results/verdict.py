"""Verdicts: PASS, FAIL or UNKNOWN, and their exit codes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, StrEnum


class Verdict(StrEnum):
    """What a question ends in. FAIL carries evidence, UNKNOWN carries a reason, in the report."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"


class ExitCode(int, Enum):
    """The process's exit codes; scripts rely on them."""

    PASS = 0
    FAIL = 1
    INPUT = 2
    UNKNOWN = 3
    INTERNAL = 4


EXIT_OF = {Verdict.PASS: ExitCode.PASS, Verdict.FAIL: ExitCode.FAIL, Verdict.UNKNOWN: ExitCode.UNKNOWN}
_BATCH_ORDER = (ExitCode.INTERNAL, ExitCode.INPUT, ExitCode.FAIL, ExitCode.UNKNOWN, ExitCode.PASS)


def batch_exit(codes: Iterable[ExitCode]) -> ExitCode:
    """The exit code of a batch: the first of 4, 2, 1, 3, 0 that occurred."""
    seen = set(codes)
    return next((code for code in _BATCH_ORDER if code in seen), ExitCode.PASS)
