"""Where commands print: text that cannot steer a terminal, and a line of progress that gives way to it."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from treville.campaigns.guard import Draft, guarded
from treville.rendering.style import Style, harmless
from treville.results.progress import Progress
from treville.results.reports.report import Report, Status, as_object, object_line

_SECONDS_BEFORE_PROGRESS = 1.0
_SECONDS_BETWEEN_UPDATES = 0.25


def wants_colour(choice: str, stream: TextIO) -> bool:
    """`--color` decides; by itself terminals have colours, unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return not os.environ.get("NO_COLOR") and stream.isatty()


def print_object(content: dict[str, Any]) -> None:
    """A line of `--json` on standard output, which need not know all characters: JSON has escapes."""
    line = object_line(content)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "") not in ("utf8", "utf8sig"):
        line = json.dumps(json.loads(line))
    print(harmless(line))


def print_error(error: Exception) -> None:
    """An error that belongs to no question, as a line of `--json`."""

    def fail() -> None:
        raise error

    draft = Draft(Report(file=""))
    guarded(draft, fail)
    print_object(as_object(draft.report))


class Terminal:
    """Standard output and error of a batch of `total` questions, and its progress where somebody looks. Names
    of `files` that hold line breaks are shown on one line: what follows one is no line of ours."""

    def __init__(
        self,
        total: int,
        colour: str = "auto",
        *,
        files: Sequence[str] = (),
        quiet: bool = False,
        summary: bool = False,
    ) -> None:
        self.style = Style(wants_colour(colour, sys.stdout))
        self._total = total
        self._done = 0
        self._stored = 0
        self._counts: Counter[Status] = Counter()
        self._live = not quiet and sys.stderr.isatty()
        self._summary = summary and not quiet
        self._started = self._shown = time.monotonic()
        self._doing: dict[str, Progress] = {}
        self._line = ""
        broken = [file for file in files if "\n" in file]
        self._broken = [*broken, *(Path(file).stem for file in broken)]

    @property
    def done(self) -> int:
        """How many questions have an answer."""
        return self._done

    # -- printing --------------------------------------------------------------------------------------

    def print(self, text: str) -> None:
        """Text for standard output, as it is but for what terminals take for commands."""
        if text:
            self.clear()
            sys.stdout.write(harmless(self._on_one_line(text), coloured=self.style.colour))
            sys.stdout.flush()

    def print_object(self, content: dict[str, Any]) -> None:
        """A line of `--json`."""
        self.clear()
        print_object(content)
        sys.stdout.flush()

    def warn(self, text: str) -> None:
        """A line for standard error."""
        self.clear()
        print(harmless(self._on_one_line(text)), file=sys.stderr, flush=True)

    def _on_one_line(self, text: str) -> str:
        for name in self._broken:
            text = text.replace(name, name.replace("\n", "\N{REPLACEMENT CHARACTER}"))
        return text

    # -- a watcher of batches --------------------------------------------------------------------------

    def stored(self, report: Report) -> None:
        """An answer of an earlier run was found."""
        self._stored += 1
        self._count(report)

    def answered(self, report: Report) -> None:
        """There is an answer."""
        self._doing.pop(report.file, None)
        self._count(report)

    def _count(self, report: Report) -> None:
        if report.left_out:
            self._total -= 1
            return
        self._done += 1
        self._counts[report.status] += 1

    def working(self, file: str, progress: Progress) -> None:
        """What is being done about a file."""
        self._doing[file] = progress

    def waiting(self) -> None:
        """Show what is being done, if that takes a while."""
        now = time.monotonic()
        late = now - self._started > _SECONDS_BEFORE_PROGRESS
        if self._live and late and now - self._shown > _SECONDS_BETWEEN_UPDATES:
            self._shown = now
            width = _width() - 1
            self._line = harmless(self._on_one_line(self._status(now)))[:width]
            print(f"\r\x1b[K{self._line}", end="", file=sys.stderr, flush=True)

    def _status(self, now: float) -> str:
        spent = now - self._started
        parts = [f"[{self._done}/{self._total}]"] if self._total > 1 else []
        parts += [f"{file}: {progress}" for file, progress in list(self._doing.items())[:2]]
        parts.append(f"{spent:.0f} s")
        new = self._done - self._stored
        if new and self._total > 1:
            left = (self._total - self._done) * spent / new
            parts.append(f"about {_duration(left)} left")
        return "  ".join(parts)

    def clear(self) -> None:
        """Make room for text."""
        if self._line:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._line = ""

    def finish(self) -> None:
        """The last line of a batch."""
        self.clear()
        if self._summary:
            parts = [f"{self._counts[status]} {status.value}" for status in Status if self._counts[status]]
            before = f", {self._stored} of an earlier run" if self._stored else ""
            seconds = time.monotonic() - self._started
            print(
                f"{self._done} answers in {seconds:.1f} s: {', '.join(parts) or 'none'}{before}",
                file=sys.stderr,
                flush=True,
            )


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80  # some do not know
    except (OSError, ValueError):
        return 80


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
