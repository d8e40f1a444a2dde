"""The disk as questions see it: looked at, recorded, or played back on another machine.

All that a question reads goes through here: inputs, models with what they include, sources for messages, and
what a compiler made of them. What was asked and found can be recorded on a `Tape`, and played back where
the files are not: there nothing is found but what is on the tape and what Treville ships.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeAlias, TypeVar, cast

Asked: TypeAlias = tuple[str, ...]
Stamp: TypeAlias = tuple[int, int, int]
T = TypeVar("T")
P = ParamSpec("P")
MADE = "made"  # the first word of what is asked of a compiler
_SHIPPED = Path(__file__).resolve().parent.parent


class Tape(dict[Asked, object]):
    """What was asked of the disk, and what it said."""


_recorded: Tape | None = None
_played: Tape | None = None


@contextmanager
def recording() -> Iterator[Tape]:
    """Record what is asked; what is asked again gets the same answer. Inside of another recording it is part
    of that, too."""
    global _recorded  # noqa: PLW0603 - a process has one disk
    outer, tape = _recorded, Tape()
    _recorded = tape
    try:
        yield tape
    finally:
        _recorded = outer
        if outer is not None:
            outer.update(tape)


@contextmanager
def playing(tape: Tape) -> Iterator[None]:
    """Take what is on the tape for the disk."""
    global _played  # noqa: PLW0603
    outer, _played = _played, tape
    try:
        yield
    finally:
        _played = outer


def cached(make: Callable[P, T]) -> Callable[P, T]:
    """`lru_cache` for what is made of files, with arguments without names: what the first call asked of the
    disk every call asks."""

    @lru_cache(maxsize=64)
    def made(*arguments: Any) -> tuple[T, Tape]:
        with recording() as tape:
            return cast("Callable[..., T]", make)(*arguments), tape

    @wraps(make)
    def call(*arguments: P.args, **_: P.kwargs) -> T:
        found, tape = made(*arguments)
        if _recorded is not None:
            _recorded.update(tape)
        return found

    return call


def _is_shipped(path: str) -> bool:
    return path.startswith(f"{_SHIPPED}/")


def _answer(asked: Asked, look: Callable[[], T], missing: Callable[[], T]) -> T:
    if _played is None and _recorded is None:
        return look()
    for tape in (_played, _recorded):
        if tape is not None and asked in tape:
            return cast("T", tape[asked])
    if _is_shipped(asked[1]):
        return look()
    if _played is not None:
        return missing()
    found = look()
    if _recorded is not None:
        _recorded[asked] = found
    return found


def _not_here(name: str) -> Callable[[], NoReturn]:
    def refuse() -> NoReturn:
        raise FileNotFoundError(errno.ENOENT, "it did not come along to this machine", name)

    return refuse


def read_bytes(path: str | Path, most: int | None = None) -> bytes:
    """The content of a file, or its first bytes."""

    def look() -> bytes:
        with Path(path).open("rb") as file:
            return file.read() if most is None else file.read(most)

    name = str(path)
    return _answer(("bytes", name, str(most)), look, _not_here(name))


def read_text(path: str | Path) -> str:
    """The text of a file; what is no UTF-8 is replaced."""
    return read_bytes(path).decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def is_file(path: Path) -> bool:
    """Whether there is such a file. Names that cannot be are names of nothing."""
    try:
        return _answer(("is file", str(path)), path.is_file, lambda: False)
    except (OSError, ValueError):
        return False


def stamp(path: Path) -> Stamp:
    """The mode of a file, when it was changed, and its size."""

    def look() -> Stamp:
        status = path.stat()
        return status.st_mode, status.st_mtime_ns, status.st_size

    return _answer(("stamp", str(path)), look, _not_here(str(path)))


def resolve(path: Path) -> Path:
    """The path without links, from the root. What is shipped is where it is on the machine that asks."""

    def look() -> tuple[bool, str]:
        found = str(path.resolve())
        shipped = _is_shipped(found)
        return shipped, found.removeprefix(f"{_SHIPPED}/") if shipped else found

    shipped, found = _answer(("resolve", str(path)), look, lambda: (False, os.path.abspath(path)))  # noqa: PTH100
    return _SHIPPED / found if shipped else Path(found)


def here() -> Path:
    """The folder that names are relative to."""
    return Path(_answer(("here", ""), os.getcwd, os.getcwd))


def made(name: str, options: object, make: Callable[[], T]) -> T:
    """What a compiler makes of files on this disk."""
    return _answer((MADE, name, repr(options)), make, _not_here(name))
