"""What makes two questions the same: the contents of all inputs and the options, as one digest.

A journal finds answers by these keys, so everything that can change an answer must be part of one: the text
of the input, a model's definitions (not its file's name), headers that a C file includes. Limits are no
part of a key.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from treville import __version__
from treville.programs.includes import SEARCHED, included

_DATABASE = "compile_commands.json"
_MOST_FILES = 2_000
_PIECE = 1 << 20


def key_of(*parts: object) -> str:
    """A digest of what is asked; parts must print what they are."""
    return _digest("\0".join([__version__, *map(repr, parts)]).encode(errors="surrogateescape"))


def unrepeatable() -> str:
    """A key that no other question has: an answer is not used again if nobody knows what it depends on."""
    return os.urandom(16).hex()


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()[:32]


def text_key(file: str, text: str | None) -> str:
    """The content of an input; what is no file (a pipe) may have another one next time."""
    if text is not None:
        return _digest(text.encode(errors="surrogateescape"))
    return _file_key(Path(file))


def _file_key(path: Path) -> str:
    import hashlib

    try:
        if not path.is_file():
            return unrepeatable()
        found = hashlib.sha256()
        with path.open("rb") as data:
            while piece := data.read(_PIECE):
                found.update(piece)
    except (OSError, ValueError):
        return unrepeatable()
    return found.hexdigest()[:32]


def program_key(files: Sequence[str], includes: Sequence[str]) -> str:
    """The contents of C files and of the headers below their folders or `-I` that they include. Databases of
    commands, and headers that cannot be told, are asked about anew each time."""
    folders = [Path(folder) for folder in includes]
    reached = _reached([Path(file) for file in files], folders)
    if reached is None:
        return unrepeatable()
    found = sorted((str(path), _file_key(path)) for path in reached)
    searched = [os.environ.get(name, "") for name in (*SEARCHED, "TREVILLE_CLANG")]
    return _digest(repr((found, searched)).encode(errors="surrogateescape"))


def _reached(files: list[Path], folders: list[Path]) -> set[Path] | None:
    """The files and what they include; None if that cannot be told."""
    seen: set[Path] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        names = _included(path)
        if names is None or path.name == _DATABASE or len(seen) > _MOST_FILES:
            return None
        waiting += [
            place for name in names for folder in (path.parent, *folders) if _is_file(place := folder / name)
        ]
    return seen


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _included(path: Path) -> list[str] | None:
    try:
        found = included(path.read_bytes())
    except (OSError, ValueError):
        return []
    return None if found is None else [name for _, name in found]
