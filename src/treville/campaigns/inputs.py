"""`FILE|DIR|@LIST|-` arguments -> the files they stand for, one at a time.

A folder stands for the files below it with one of the wanted endings, in sorted order. A list names one
file, folder or further list a line, relative to the list's own folder; `#` begins a comment, as in the
lists that come with herd7's test suites.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from treville.results import InputError, Span, disk

STANDARD_INPUT = "-"
# Far more than any test; a device or a mistaken file should not fill the memory.
MAXIMUM_BYTES = 4_000_000
_MOST_OF_STANDARD_INPUT = 1_000_000_000
_UNREADABLE = "\0"  # no text begins so


def expand(arguments: Iterable[str], suffixes: tuple[str, ...]) -> Iterator[str]:
    """The files that the arguments stand for, in order. Lists and folders are read as they are reached."""
    for argument in arguments:
        if not argument:
            raise InputError("the name of an input is empty", None, "this folder is called .")
        if argument == STANDARD_INPUT:
            yield argument
        elif argument.startswith("@"):
            yield from _listed(Path(argument[1:]), suffixes, (), None)
        else:
            yield from _found(Path(argument), suffixes)


def _found(path: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    """A folder's files; anything else is taken as it is, and fails when it is read."""
    if not _is_folder(path):
        name = str(path)
        yield name if name != STANDARD_INPUT else f"./{name}"
        return
    for folder, below, files in os.walk(path):
        below.sort()
        # Without their endings, so that SB comes before SB+fences.
        for name in sorted(files, key=lambda name: name.rpartition(".")):
            if name.endswith(suffixes):
                yield str(Path(folder) / name)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _listed(
    path: Path, suffixes: tuple[str, ...], inside: tuple[Path, ...], span: Span | None
) -> Iterator[str]:
    resolved = Path(os.path.abspath(path))  # noqa: PTH100 - names may be no paths at all, which resolve() refuses
    if resolved in inside:
        raise InputError(f"the list {path} includes itself", span)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read the list {path}: {reason}", span) from None
    for number, line in enumerate(lines, 1):
        entry = line.split("#", 1)[0].strip()
        if entry.startswith("@"):
            place = Span(str(path), number, 1, len(entry), line)
            yield from _listed(path.parent / entry[1:], suffixes, (*inside, resolved), place)
        elif entry:
            yield from _found(path.parent / entry, suffixes)


def standard_input() -> str:
    """All of standard input, read once."""
    text = given_text()
    if text.startswith(_UNREADABLE):
        raise InputError(text.removeprefix(_UNREADABLE))
    return text


def _read_all(stream: Any) -> str:
    try:
        data = stream.buffer.read(_MOST_OF_STANDARD_INPUT + 1) if hasattr(stream, "buffer") else None
        text: str = stream.read() if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("standard input is not text in UTF-8") from None
    except (OSError, ValueError, AttributeError):
        raise InputError("standard input is closed") from None
    if data is not None and len(data) > _MOST_OF_STANDARD_INPUT:
        raise InputError(f"standard input has more than {_MOST_OF_STANDARD_INPUT} bytes")
    if "\0" in text:
        raise InputError("standard input is binary or in UTF-16", None, "text in UTF-8 is needed")
    return text.replace("\r\n", "\n")


def given_text() -> str:
    """What standard input holds, for a question; if it cannot be read, whoever reads the question's input is
    told why (`input_text`), since the rest of a batch can be answered."""
    return _given(sys.stdin)


@cache
def _given(stream: Any) -> str:
    try:
        return _read_all(stream)
    except InputError as error:
        return f"{_UNREADABLE}{error.complaint}"


def input_text(file: str, text: str | None, maximum: int = MAXIMUM_BYTES) -> str:
    """The text of an input: what standard input held, or what the file has."""
    if text is None:
        return read_text(file, maximum)
    if text.startswith(_UNREADABLE):
        raise InputError(text.removeprefix(_UNREADABLE), Span(file, 1, 1))
    return text


def read_text(path: str, maximum: int = MAXIMUM_BYTES) -> str:
    """The text of an input file; a file that cannot be read, or is absurdly large, is an input error."""
    try:
        data = disk.read_bytes(path, maximum + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read the file: {reason}", Span(path, 1, 1)) from None
    if len(data) > maximum:
        raise InputError(f"the file has more than {maximum} bytes", Span(path, 1, 1))
    if b"\0" in data:
        raise InputError("the file is binary or in UTF-16", Span(path, 1, 1), "text in UTF-8 is needed")
    return data.decode("utf-8", errors="replace").replace("\r\n", "\n")
