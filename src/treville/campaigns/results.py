"""Result files: one JSON object a line, appended as answers come, read again to resume or to compare."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from treville.results import InputError, Span, report_line

Report: TypeAlias = "dict[str, Any]"
Key: TypeAlias = "tuple[str, ...]"

_KEY_FIELDS = ("file", "asked", "bound_asked", "variant", "engine_asked", "digest")
PRIVATE_FIELDS = frozenset(("asked", "bound_asked", "engine_asked", "digest"))


def key_of(report: Report) -> Key:
    """What makes two results the result of the same question: file and content, model, options."""
    return tuple(str(report.get(name, "")) for name in _KEY_FIELDS)


class Journal:
    """A result file that grows while a batch runs. Results of an interrupted run are found again; only
    their places in the file are kept in memory. A line that was cut off is dropped."""

    def __init__(self, path: str) -> None:
        self._places: dict[Key, int] = {}
        try:
            self._file = Path(path).open("a+b")  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise InputError(f"cannot write the result file {path}: {error.strerror or error}") from None
        self._file.seek(0)
        end = 0
        for line in self._file:
            report = _parsed(line)
            if report is None:
                break
            self._places[key_of(report)] = end
            end += len(line)
        self._file.seek(0, os.SEEK_END)
        if self._file.tell() != end:
            if self._places == {} and end == 0:
                raise InputError(
                    "the file exists and holds no results", Span(path, 1, 1), "give another file to --resume"
                )
            self._file.truncate(end)

    def __contains__(self, key: Key) -> bool:
        return key in self._places

    def find(self, key: Key) -> Report | None:
        """The stored result of that question, if any."""
        place = self._places.get(key)
        if place is None:
            return None
        self._file.seek(place)
        return _parsed(self._file.readline())

    def add(self, report: Report) -> None:
        """Append a result and hand it to the system at once, so that an interruption loses nothing."""
        self._file.seek(0, os.SEEK_END)
        self._places[key_of(report)] = self._file.tell()
        self._file.write(report_line(report).encode() + b"\n")
        self._file.flush()

    def __len__(self) -> int:
        return len(self._places)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _parsed(line: bytes) -> Report | None:
    """A complete result line, or None."""
    if not line.endswith(b"\n"):
        return None
    try:
        report = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(report, dict) or "file" not in report:
        return None
    report.pop("schema", None)
    return report


def read_reports(path: str) -> Iterator[Report]:
    """The reports of a JSONL file; a wrong line is an input error with its place."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    report = json.loads(line)
                except (ValueError, RecursionError):
                    raise InputError("this line is not JSON", Span(path, number, 1, 1, line[:200])) from None
                if not isinstance(report, dict):
                    raise InputError("expected an object", Span(path, number, 1, 1, line[:200]))
                yield report
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", Span(path, 1, 1)) from None
