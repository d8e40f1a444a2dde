"""The lines of source that messages show: of the program's own file, and of headers."""

from __future__ import annotations

from pathlib import Path

from treville.programs.c.llvm import Module
from treville.results import disk

_LARGEST_HEADER = 4_000_000


def header_lines(file: str) -> list[str]:
    """The lines of a file that a program names; none if there is no such file, or if it is no header."""
    path = Path(file)
    if not disk.is_file(path):
        return []
    try:
        data = disk.read_bytes(path, _LARGEST_HEADER + 1)
    except OSError:
        return []
    return data.decode(errors="replace").split("\n") if len(data) <= _LARGEST_HEADER else []


def named_files(module: Module) -> set[str]:
    """The files that the instructions of a module come from."""
    return {
        instruction.file
        for function in module.functions.values()
        for block in function.blocks
        for instruction in block.instructions
        if instruction.line
    }
