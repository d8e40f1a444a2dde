"""The lines of source that messages show: of the program's own file, and of headers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from treville.programs.c.llvm import Module
from treville.results import disk

if TYPE_CHECKING:
    from treville.programs.c.sandbox import Sandbox

_LARGEST_HEADER = 4_000_000


def header_lines(file: str, sandbox: Sandbox | None = None) -> list[str]:
    """The lines of a file that a program names; none if there is no such file, or none that it may read."""
    path = Path(file)
    if not disk.is_file(path) or not _is_allowed(path, sandbox):
        return []
    try:
        data = disk.read_bytes(path, _LARGEST_HEADER + 1)
    except OSError:
        return []
    return data.decode(errors="replace").split("\n") if len(data) <= _LARGEST_HEADER else []


def _is_allowed(path: Path, sandbox: Sandbox | None) -> bool:
    return sandbox is None or disk.made(str(path), "allowed", lambda: sandbox.allows(path))


def named_files(module: Module) -> set[str]:
    """The files that the instructions of a module come from."""
    return {
        instruction.file
        for function in module.functions.values()
        for block in function.blocks
        for instruction in block.instructions
        if instruction.line
    }
