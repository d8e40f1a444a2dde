"""Journals (`--resume FILE`): a report a line, appended as answers come, found again by what was asked.

The first line says which command it belongs to; a file that begins otherwise is not touched. Each line
carries the key of its question, the limits that held, and a checksum. A line that was damaged is named and
left out, what follows it is kept; a line that was cut off (kill -9, a full disk) is completed by a line
break, never by the next report. An answer that a limit ended is asked for again when that limit has been
raised.
"""

from __future__ import annotations

import json
import os
import signal
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

try:
    import fcntl
except ImportError:  # not every system has locks of this kind
    fcntl = None  # type: ignore[assignment]

from treville.campaigns.kind import Limits
from treville.results import InputError, Span
from treville.results.errors import Limit
from treville.results.reports.report import SCHEMA, Report, as_object, to_json

R = TypeVar("R", bound=Report)
_HEADER = "journal"


class Journal:
    """A journal of one command. Only the places of its lines are kept in memory. `warn` is told of damaged
    lines."""

    def __init__(self, path: str, command: str, warn: Callable[[str], None]) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise InputError(f"cannot write the journal {path}: {error.strerror or error}") from None
        try:
            self._refuse_streams()
            self._lock()
            self._end = os.fstat(self._file).st_size
            if self._end:
                self._read(command, warn)
            else:
                self._append(to_json({_HEADER: command, "schema": SCHEMA}))
        except BaseException:
            self.close()
            raise

    def _refuse_streams(self) -> None:
        """What was written to a pipe or a terminal cannot be read again."""
        try:
            os.lseek(self._file, 0, os.SEEK_END)
        except OSError:
            raise InputError(f"cannot write the journal {self.path}: it is no file") from None

    def _lock(self) -> None:
        """Two runs that append to one file would damage it."""
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"another run writes the journal {self.path}", hint="wait for its end") from None

    def _read(self, command: str, warn: Callable[[str], None]) -> None:
        with Path(self.path).open("rb") as lines:
            first = next(iter(lines), b"")
            self._check_header(first, command)
            place = lines.tell()
            whole = first.endswith(b"\n")
            for number, line in enumerate(lines, 2):
                record = _record(line)
                whole = line.endswith(b"\n")
                if record is not None:
                    self._places[record["question"]] = place
                elif line.strip():
                    what = "is damaged" if whole else "was cut off"
                    again = "its question is asked again unless another line has its answer"
                    warn(f"{self.path}:{number}:1: this line {what}; {again}")
                place += len(line)
        if not whole:
            self._write(b"\n")

    def _check_header(self, line: bytes, command: str) -> None:
        try:
            header = json.loads(line)
            known = isinstance(header, dict) and _HEADER in header
        except (ValueError, RecursionError):
            known = False
        place = Span(self.path, 1, 1)
        if not known:
            raise InputError(
                "the file exists and is no journal of Treville", place, "give another file to --resume"
            )
        if header[_HEADER] != command or header.get("schema") != SCHEMA:
            other = f"a journal of `treville {header[_HEADER]}`, schema {header.get('schema')}"
            hint = f"this is `treville {command}`, schema {SCHEMA}: give another file to --resume"
            raise InputError(f"the file is {other}", place, hint)

    def find(self, key: str, limits: Limits, kind: type[R]) -> R | None:
        """The stored answer to a question that is still good under these limits."""
        place = self._places.get(key)
        if place is None:
            return None
        with Path(self.path).open("rb") as lines:
            lines.seek(place)
            record = _record(lines.readline())
        if record is None or _is_stale(record, limits):
            return None
        return _decoded(record["report"], kind)

    def add(self, key: str, limits: Limits, report: Report) -> None:
        """Append an answer and hand it to the system at once, so that an interruption loses nothing. What the
        same run would ask again (errors, workers that somebody killed) is no answer."""
        content = as_object(report, private=True)
        record = {"question": key, "limits": [limits.seconds, limits.memory], "report": content}
        if _is_stale(record, limits):
            return
        self._places[key] = self._end
        self._append(to_json({**record, "checksum": _checksum(record)}))

    def _append(self, line: str) -> None:
        self._write(line.encode() + b"\n")

    def _write(self, data: bytes) -> None:
        """Write all of it or nothing."""
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._file, data[written:], self._end + written)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise InputError(
                f"cannot write the journal {self.path}: {error.strerror or error}",
                hint="what it holds is whole: make room, and the same command goes on where this one stopped",
            ) from None
        self._end += len(data)

    def __len__(self) -> int:
        return len(self._places)

    def close(self) -> None:
        """No more answers."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def report_in(line: dict[str, Any]) -> dict[str, Any] | None:
    """The report of a line of a journal, or of JSON lines as commands print them; a journal's first has
    none."""
    if _HEADER in line and "file" not in line:
        return None
    report = line.get("report")
    return report if isinstance(report, dict) and "question" in line else line


def _checksum(record: dict[str, Any]) -> int:
    return zlib.crc32(to_json(record).encode())


def _record(line: bytes) -> dict[str, Any] | None:
    """A whole line of a journal, or None."""
    try:
        record = json.loads(line)
        given = record.pop("checksum")
        return record if given == _checksum(record) and isinstance(record["report"], dict) else None
    except (ValueError, RecursionError, KeyError, AttributeError, TypeError):
        return None


def _is_stale(record: dict[str, Any], limits: Limits) -> bool:
    """Whether more could be known now: a limit that ended it was raised, or what was wrong may be mended."""
    limit = record["report"].get("limit")
    if record["report"].get("error") is not None:
        return True  # it took no time, and may have had to do with this machine
    if limit is None:
        return False
    before, now = (
        (record["limits"][0], limits.seconds) if limit == Limit.TIME else (record["limits"][1], limits.memory)
    )
    if before is None:
        return True  # the machine itself had no more
    return now is None or now > before


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Signals wait. One that comes while msgspec is imported leaves a module that ends the process later."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _decoded(content: dict[str, Any], kind: type[R]) -> R | None:
    with _uninterrupted():
        import msgspec

    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError:
        return None
