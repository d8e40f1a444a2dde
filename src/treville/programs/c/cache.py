"""LLVM IR of C programs, kept between runs: found again by the content of all that it was made of.

What is asked for is described by a *key*: the program's files, every file that a line `#include` of theirs
may mean (or that there is none), options, the compiler, and the code here that prepares its IR. It is stored
whole beside the text and compared, so nothing depends on a hash or on times of headers. Programs whose
headers cannot be told (`includes`) are not kept, nor are those of other compilers than the bundled one.

The folder has a fixed number of places; a key has one of them, and takes it from who was there. Nothing that
is stored can do harm but to be wrong: it is text for `reader`, only in a folder that nobody else can write
to. It is renamed into its place when it is complete, and has a checksum, so that several processes may use
the folder, and be killed at any time.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from treville.programs.c.compilers import Compiler, compiler
from treville.programs.includes import SEARCHED, included

VARIABLE = "TREVILLE_CACHE"  # a folder; empty: none (also `cli.arguments`)
PLACES, LARGEST = 4096, 1 << 16  # bytes of one entry: at most 256 MB in all
_MOST_TEXT = 1 << 24
_MOST_FILES, _LARGEST_FILE = 500, 1 << 20
_FORM = b"treville 1\n"
_SOURCES = (".c", ".i", ".cpp", ".cc", ".cxx")
_HERE = Path(__file__).parent


class _Unknown(Exception):
    """What a program is made of cannot be told."""


def kept(
    path: Path,
    defines: Sequence[str],
    includes: Sequence[str],
    others: Sequence[str],
    make: Callable[[], str],
) -> str:
    """The prepared LLVM IR of a program: what is kept, or what is made now, and kept."""
    folder = _folder()
    asked = ([path, *map(Path, others)], defines, includes)
    key = None if folder is None else _key(*asked)
    if key is None:
        return make()
    place = f"{folder}/{zlib.crc32(key) % PLACES:03x}"
    found = _read(place, key)
    if found is None:
        found = make()
        if _key(*asked) == key:  # nobody changed a file while it was compiled
            _write(place, key, found)
    return found


# -- the folder ------------------------------------------------------------------------------------------


def _folder() -> str | None:
    """Where programs are kept; None if nowhere, or where others could write."""
    named = os.environ.get(VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") and f"{os.environ['HOME']}/.cache")
    folder = named if named is not None else home and f"{home}/treville"
    if not folder or not folder.startswith("/") or not hasattr(os, "geteuid"):
        return None
    try:
        os.makedirs(folder, 0o700, exist_ok=True)  # noqa: PTH103 - quicker
        status = os.stat(folder)  # noqa: PTH116
    except OSError:
        return None
    return folder if status.st_uid == os.geteuid() and not status.st_mode & 0o022 else None


def _read(place: str, key: bytes) -> str | None:
    """The text in a place if it is that of the key."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return None
        data = file.read(LARGEST)
    begin = _FORM + zlib.crc32(data[len(_FORM) + 4 :]).to_bytes(4, "big")
    if not data.startswith(begin):
        return None
    try:
        content = zlib.decompressobj().decompress(data[len(begin) :], _MOST_TEXT)
        return content.removeprefix(key).decode() if content.startswith(key) else None
    except (zlib.error, UnicodeDecodeError):
        return None


def _write(place: str, key: bytes, text: str) -> None:
    """Take a place for a text. Whoever is killed here leaves a file that the next one writes over."""
    try:
        content = key + text.encode()
    except UnicodeEncodeError:
        return
    data = zlib.compress(content, 1)
    data = _FORM + zlib.crc32(data).to_bytes(4, "big") + data
    if len(data) >= LARGEST or len(content) > _MOST_TEXT:
        return
    try:
        how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with os.fdopen(os.open(f"{place}.new", how, 0o600), "wb") as file:
            file.write(data)
        os.replace(f"{place}.new", place)  # noqa: PTH105
    except OSError:
        return


# -- keys ------------------------------------------------------------------------------------------------


def _key(files: Sequence[Path], defines: Sequence[str], includes: Sequence[str]) -> bytes | None:
    """All that the IR of a program is made of; None if that cannot be told."""
    used = compiler()
    searched = any(map(os.environ.get, SEARCHED))
    if used.package is None or searched or any(file.suffix not in _SOURCES for file in files):
        return None
    try:
        _refuse_names_of_the_system(used, includes)
        asked = (*map(str, files), "", *defines, "", *includes, "", os.getcwd(), *_makers(used))  # noqa: PTH109
        parts = [repr(asked).encode(), *_contents(files, includes)]
    except (_Unknown, OSError, ValueError):
        return None
    return b"".join(len(part).to_bytes(4, "big") + part for part in (*parts, b"text"))


def _makers(used: Compiler) -> Iterator[str]:
    """Who makes the text: the compiler, LLVM, and what is done here; as they are, not as they are named."""
    assert used.package is not None
    library = find_spec("llvmlite")
    yield _stamp(used.command[0])
    yield "" if library is None or library.origin is None else _stamp(f"{library.origin[:-11]}binding")
    for folder in (_HERE, _HERE / "runtime", _HERE / "runtime" / "cpp"):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.is_file():
                yield _stamp(entry.path)


def _stamp(path: str) -> str:
    status = os.stat(path)  # noqa: PTH116
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def _contents(files: Sequence[Path], includes: Sequence[str]) -> Iterator[bytes]:
    """The names and contents of files and of those that they may include; names alone where there is none."""
    pending = [str(file) for file in reversed(files)]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        yield os.fsencode(name)
        if not os.path.isfile(name):  # noqa: PTH113 - quicker
            if os.path.lexists(name):
                raise _Unknown
            yield b"none"
            continue
        with Path(name).open("rb") as file:
            content = file.read(_LARGEST_FILE)
        if len(content) == _LARGEST_FILE or len(seen) > _MOST_FILES:
            raise _Unknown
        yield b"file" + content
        pending += _may_include(name, content, includes)


def _may_include(name: str, content: bytes, includes: Sequence[str]) -> Iterator[str]:
    """The files that the lines of one may mean, besides those that come with the compiler."""
    told = included(content)
    if told is None:
        raise _Unknown
    for own, wanted in told:
        folders = [os.path.dirname(name) if own else "/", *includes]  # noqa: PTH120
        yield from (os.path.join(folder, wanted) for folder in folders)  # noqa: PTH118


def _refuse_names_of_the_system(used: Compiler, includes: Sequence[str]) -> None:
    """A header in a folder of `-I` that has the name of one that comes with the compiler is read by the
    others that come with it, too."""
    shipped = [word for word in used.compiling_for("") if word.startswith("/")] + [f"{_HERE}/runtime"]
    count = 0
    for top in includes:
        for place, _, names in os.walk(top):
            for name in names:
                count += 1
                relative = os.path.relpath(f"{place}/{name}", top)
                if count > _MOST_FILES or any(os.path.lexists(f"{each}/{relative}") for each in shipped):
                    raise _Unknown
