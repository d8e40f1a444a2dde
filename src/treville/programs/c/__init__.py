"""C programs -> program IR, through LLVM IR: compile, read LLVM's text form, translate."""

from __future__ import annotations

from pathlib import Path

from treville.programs.ir import Program
from treville.results import InputError

SUFFIXES = (".c", ".i", ".ll", ".bc")


def load_program(
    path: Path,
    recursion: int = 2,
    defines: tuple[str, ...] = (),
    includes: tuple[str, ...] = (),
    signals: bool = False,
) -> Program:
    """The IR of a C, LLVM IR or bitcode file; recursion is inlined that many times. With `signals` condition
    variables wake up only when signalled, else at any time."""
    from treville.programs.c.compile import llvm_text
    from treville.programs.c.reader import read_module
    from treville.programs.c.translate import translate

    module = read_module(llvm_text(path, defines, includes))
    if "main" not in module.functions:
        raise InputError(f"{path}: the program has no function 'main'")
    source = path.read_text(errors="replace").split("\n") if path.suffix in (".c", ".i") else []
    return translate(module, source, recursion, signals)
