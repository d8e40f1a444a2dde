"""C programs -> program IR, through LLVM IR: compile, read LLVM's text form, translate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from treville.programs.c.commands import DATABASE
from treville.programs.ir import Program, Stop
from treville.records import dataclass, field
from treville.results import InputError, disk
from treville.results.defaults import BOUND

if TYPE_CHECKING:
    from treville.programs.c.llvm import Module
    from treville.programs.c.sandbox import Sandbox

SUFFIXES = (".c", ".i", ".cpp", ".cc", ".cxx", ".ll", ".bc")


@dataclass(frozen=True, slots=True)
class Unit:
    """A file that was compiled and read; `source` are its lines. Programs that were made of it are kept."""

    module: Module
    source: list[str]
    sandbox: Sandbox | None = None
    _made: dict[tuple[int, bool], Program] = field(default_factory=dict, compare=False)

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """Its IR; recursion is inlined that many times. With `signals` condition variables wake up only when
        signalled, else at any time."""
        from treville.programs.c.translate import translate

        for (depth, same), program in self._made.items():
            if same == signals and (depth == recursion or not _is_cut(program)):
                return program
        made = self._made[recursion, signals] = translate(
            self.module, self.source, recursion, signals, self.sandbox
        )
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
    sandbox: bool = False,
    overlay: tuple[tuple[str, str], ...] = (),
) -> Unit:
    """Compile and read a C, C++, LLVM IR or bitcode file, linked with others. In a sandbox nothing is read
    but what is in the files' own folders and in those of `includes`, and shipped headers. Files of the
    `overlay` are compiled with these contents."""
    from treville.programs.c.reader import read_module

    box = _sandbox((path, *map(Path, others)), includes) if sandbox else None
    options = (defines, includes, others)
    asked = (*options, sandbox, *overlay)

    def make() -> str:
        from treville.programs.c.compile import llvm_text

        return llvm_text(path, *options, box, overlay)

    def find() -> str:
        from treville.programs.c.cache import kept

        return make() if sandbox or overlay else kept(path, *options, make)

    module = read_module(disk.made(str(path), asked, find))
    if "main" not in module.functions:
        raise InputError(f"{path}: the program has no function 'main'")
    own = path.suffix not in (".ll", ".bc") and Path(module.file).name == path.name  # not what `#line` tells
    return Unit(module, disk.read_text(path).split("\n") if own else [], box)


def _sandbox(files: tuple[Path, ...], includes: tuple[str, ...]) -> Sandbox:
    from treville.programs.c.sandbox import sandbox_of

    return sandbox_of(files, includes)


def read_sources(unit: Unit) -> None:
    """Read the files whose lines messages about a program may show."""
    from treville.programs.c.sources import header_lines, named_files

    for file in named_files(unit.module):
        header_lines(file, unit.sandbox)


def load_program(
    path: Path,
    recursion: int = BOUND,
    defines: tuple[str, ...] = (),
    includes: tuple[str, ...] = (),
    signals: bool = False,
) -> Program:
    """The IR of a C, C++, LLVM IR or bitcode file; see `Unit.program`."""
    return read_unit(path, defines, includes).program(recursion, signals)
