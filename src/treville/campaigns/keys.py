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
from treville.programs.includes import SEARCHED, reached

_DATABASE = "compile_commands.json"
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
    given = [Path(file) for file in files]
    found_files = None if any(path.name == _DATABASE for path in given) else reached(given, folders)
    if found_files is None:
        return unrepeatable()
    found = sorted((str(path), _file_key(path)) for path in found_files)
    searched = [os.environ.get(name, "") for name in (*SEARCHED, "TREVILLE_CLANG")]
    return _digest(repr((found, searched)).encode(errors="surrogateescape"))
