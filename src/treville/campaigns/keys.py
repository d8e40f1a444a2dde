"""What makes two questions the same: the contents of all inputs and the options, as one digest.

A journal finds answers by these keys, so everything that can change an answer must be part of one: the text
of the input, a model's definitions (not its file's name), headers that a C file includes. Limits are no
part of a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from treville import __version__

_INCLUDE = re.compile(rb'^\s*#\s*(?:include|embed)\s*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_MOST_FILES = 2_000


def key_of(*parts: object) -> str:
    """A digest of what is asked; parts must print what they are."""
    return _digest("\0".join([__version__, *map(repr, parts)]).encode(errors="surrogateescape"))


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()[:32]


def text_key(file: str, text: str | None) -> str:
    """The content of an input; a file that cannot be read has none."""
    if text is not None:
        return _digest(text.encode(errors="surrogateescape"))
    return _file_key(Path(file))


def _file_key(path: Path) -> str:
    try:
        return _digest(path.read_bytes()) if path.is_file() else ""
    except (OSError, ValueError):
        return ""


def program_key(files: Sequence[str], includes: Sequence[str]) -> str:
    """The contents of C files and of the headers below their folders or `-I` that they include."""
    folders = [Path(folder) for folder in includes]
    found = sorted((str(path), _file_key(path)) for path in _reached([Path(file) for file in files], folders))
    return _digest(repr(found).encode(errors="surrogateescape"))


def _reached(files: list[Path], folders: list[Path]) -> Iterator[Path]:
    seen: set[Path] = set()
    waiting = list(files)
    while waiting and len(seen) < _MOST_FILES:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        yield path
        for name in _included(path):
            waiting += [place for folder in (path.parent, *folders) if (place := folder / name).is_file()]


def _included(path: Path) -> list[str]:
    try:
        return [name.decode(errors="surrogateescape") for name in _INCLUDE.findall(path.read_bytes())]
    except (OSError, ValueError):
        return []
