"""`compile_commands.json` -> the files of a program, each with the options that decide what it means.

Only what concerns the preprocessor and the language reaches the compiler: warnings, optimisation and code
generation mean nothing here, and nothing else that a file could ask a compiler for should.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treville.records import NamedTuple
from treville.results import InputError, disk

DATABASE = "compile_commands.json"
# Options with a value, which may be part of the word or the next one; `_PATHS` name files and folders.
_PATHS = ("-I", "-isystem", "-iquote", "-include")
_KEPT = (*_PATHS, "-D", "-U", "-std")


class Command(NamedTuple):
    """A file, and the options of its own."""

    file: Path
    options: tuple[str, ...]


def read_commands(path: Path, suffixes: tuple[str, ...]) -> list[Command]:
    """The files of a compilation database, each once, in its order."""
    try:
        entries = json.loads(disk.read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a compilation database: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{path} is not a compilation database: a list of objects was expected")
    found = {command.file: command for entry in entries for command in [_command(path, entry)]}
    programs = [command for command in found.values() if command.file.suffix in suffixes]
    if not programs:
        raise InputError(f"{path} names no C or C++ files")
    return programs


def _command(path: Path, entry: dict[str, Any]) -> Command:
    folder, file = entry.get("directory", "."), entry.get("file")
    if not isinstance(file, str) or not isinstance(folder, str):
        raise InputError(f'{path}: an entry has no "file" and "directory"')
    home = path.parent / folder
    given = entry.get("arguments")
    try:
        words = given if isinstance(given, list) else shlex.split(str(entry.get("command", "")))
    except ValueError as error:
        raise InputError(f"{path}: the command of {file} cannot be read: {error}") from None
    return Command(home / file, tuple(_options([str(word) for word in words[1:]], home)))


def _options(words: list[str], home: Path) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        name = next((kept for kept in _KEPT if word.startswith(kept)), None)
        if name is None:
            continue
        value = word.removeprefix(name).removeprefix("=") or next(rest, "")
        if name in _PATHS:
            yield from (name, str(home / value))
        else:
            yield f"{name}={value}" if name == "-std" else f"{name}{value}"
