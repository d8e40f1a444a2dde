"""Changes of texts: applied together, followed by places, written as a unified diff."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from treville.records import dataclass
from treville.results import disk


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters from `start` to `end` of a file become `text`."""

    file: str
    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap; of several at one place the first given comes first."""
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


class Moved:
    """Where the characters of a text are after edits, and where they came from."""

    def __init__(self, before: str, edits: Iterable[Edit]) -> None:
        self.before = before
        self._edits = sorted(edits, key=lambda edit: (edit.start, edit.end))
        self.after = edited(before, self._edits)
        self._old = _line_starts(before)
        self._new = _line_starts(self.after)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, after the edits, of what stood at an offset. What was put there stands before
        it."""
        moved = offset + sum(
            len(edit.text) - (edit.end - edit.start) for edit in self._edits if edit.start <= offset
        )
        return place_at(self._new, moved)

    def origin(self, line: int, column: int) -> tuple[int, int]:
        """Line and column, before the edits, of what stands at a place after them."""
        offset = self._new[min(line, len(self._new)) - 1] + column - 1
        shift = 0
        for edit in self._edits:
            start = edit.start + shift
            if offset < start:
                break
            if offset < start + len(edit.text):
                return place_at(self._old, edit.start)
            shift += len(edit.text) - (edit.end - edit.start)
        return place_at(self._old, offset - shift)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    starts += [at + 1 for at, character in enumerate(text) if character == "\n"]
    return starts


def place_at(starts: Sequence[int], offset: int) -> tuple[int, int]:
    """Line and column of an offset, counted from 1; `starts` are the offsets of the lines."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def place_in(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset of a text."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def full_name(file: str) -> str:
    """The file that a name means, from the root; links are not followed."""
    return os.path.normpath(Path(disk.here(), file))


def patched_from(files: Iterable[str]) -> Path:
    """The folder in which a patch of files is to be applied: this one, or the root if some are elsewhere."""
    here = disk.here()
    return here if all(Path(full_name(file)).is_relative_to(here) for file in files) else Path(here.anchor)


def unified(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What `patch -p1` applies to make the files `after` of the files `before`."""
    pieces: list[str] = []
    files = [file for file in after if before[file] != after[file]]
    folder = patched_from(files)
    for file in files:
        name = Path(full_name(file)).relative_to(folder)
        old, new = (_lines(each[file]) for each in (before, after))
        for line in unified_diff(old, new, f"a/{name}", f"b/{name}"):
            ended = line.endswith("\n")
            pieces.append(line if ended else f"{line}\n\\ No newline at end of file\n")
    return "".join(pieces)


def _lines(text: str) -> list[str]:
    """Lines with their ends; only newlines end lines, as `patch` has it."""
    pieces = text.split("\n")
    return [*(f"{piece}\n" for piece in pieces[:-1]), *([pieces[-1]] if pieces[-1] else [])]
