"""The files that a C or C++ file may bring in, by its own words: no compiler is asked.

What a line `#include` means depends on what is there; so all is told that it may mean, and whether a branch
of `#if` is compiled makes no difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_SPLICE = re.compile(rb"(?:\\|\?\?/)[ \t]*\r?\n")
# Nothing is tried twice (`*+`), and comments between the words of a directive are short: files that nobody
# trusts are read here before any limit holds.
_COMMENTED = rb"/\*(?:[^*]|\*(?!/))"
_BLANKS = rb"(?>\s|" + _COMMENTED + rb"{0,2000}+\*/)*+"
_WORD = rb"(?:include_next|include|import|embed)\b(?>[ \t]|" + _COMMENTED + rb"{0,2000}+\*/)*+"
_HASH = rb"(?:#|%:|\?\?=)" + _BLANKS
_DIRECTIVE = re.compile(_HASH + _WORD + rb"([^\n]*)")
_LONG_COMMENT = re.compile(_HASH + rb"(?:" + _WORD + rb")?" + _COMMENTED + rb"{2001}")
_LITERAL = re.compile(rb'"([^"\n]+)"|<([^>\n]+)>')
# Whether a file is there, or which time it is, no name of a file tells.
_ASKS = re.compile(
    rb"\b__has_(?:include|embed)|\b__(?:DATE|TIME|TIMESTAMP)__|^[^\S\n]*+(?:export\s++)?import\b",
    re.MULTILINE,
)
_MOST_FILES = 2_000
# Folders that are searched without an option.
SEARCHED = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH")


def included(content: bytes) -> list[tuple[bool, str]] | None:
    """The names that a file includes, and whether its own folder is searched first; None if a macro names
    one, or the file asks for more than contents of files."""
    text = _SPLICE.sub(b"", content)
    if _ASKS.search(text) or _LONG_COMMENT.search(text):
        return None
    named = [_LITERAL.match(operand) for operand in _DIRECTIVE.findall(text)]
    if any(name is None for name in named):
        return None
    return [(name[1] is not None, os.fsdecode(name[1] or name[2])) for name in named if name is not None]


def reached(files: Iterable[Path], folders: Sequence[Path]) -> set[Path] | None:
    """Files and what they may include from their own folders and the given ones; None if that cannot be
    told."""
    seen: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        names = _names(path)
        if names is None or len(seen) > _MOST_FILES:
            return None
        waiting += [
            place for name in names for folder in (path.parent, *folders) if _is_file(place := folder / name)
        ]
    return seen


def _names(path: Path) -> list[str] | None:
    try:
        found = included(path.read_bytes())
    except (OSError, ValueError):
        return []
    return None if found is None else [name for _, name in found]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
