"""C programs -> program IR, through LLVM IR: compile, read LLVM's text form, translate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from treville.programs.c.commands import DATABASE
from treville.programs.ir import Program, Stop
from treville.records import dataclass, field
from treville.results import InputError
from treville.results.defaults import BOUND

if TYPE_CHECKING:
    from treville.programs.c.llvm import Module

SUFFIXES = (".c", ".i", ".cpp", ".cc", ".cxx", ".ll", ".bc")


@dataclass(frozen=True, slots=True)
class Unit:
    """A file that was compiled and read; `source` are its lines. Programs that were made of it are kept."""

    module: Module
    source: list[str]
    _made: dict[tuple[int, bool], Program] = field(default_factory=dict, compare=False)

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """Its IR; recursion is inlined that many times. With `signals` condition variables wake up only when
        signalled, else at any time."""
        from treville.programs.c.translate import translate

        for (depth, same), program in self._made.items():
            if same == signals and (depth == recursion or not _is_cut(program)):
                return program
        made = self._made[recursion, signals] = translate(self.module, self.source, recursion, signals)
        return made


def _is_cut(program: Program) -> bool:
    """Does it matter how deep recursion was inlined?"""
    return any(isinstance(i, Stop) and i.cut for i in program.instructions())


def is_program(path: Path) -> bool:
    """Is it a file that can be read here?"""
    return path.suffix in SUFFIXES or path.name == DATABASE


def read_unit(
    path: Path,
    defines: tuple[str, ...] = (),
    includes: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
) -> Unit:
    """Compile and read a C, C++, LLVM IR or bitcode file, linked with others."""
    from treville.programs.c.compile import llvm_text
    from treville.programs.c.reader import read_module

    module = read_module(llvm_text(path, defines, includes, others))
    if "main" not in module.functions:
        raise InputError(f"{path}: the program has no function 'main'")
    own = path.suffix not in (".ll", ".bc") and Path(module.file).name == path.name  # not what `#line` tells
    return Unit(module, path.read_text(errors="replace").split("\n") if own else [])


def load_program(
    path: Path,
    recursion: int = BOUND,
    defines: tuple[str, ...] = (),
    includes: tuple[str, ...] = (),
    signals: bool = False,
) -> Program:
    """The IR of a C, C++, LLVM IR or bitcode file; see `Unit.program`."""
    return read_unit(path, defines, includes).program(recursion, signals)
