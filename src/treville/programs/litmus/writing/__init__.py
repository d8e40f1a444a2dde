"""Small programs -> the text of litmus tests, by dialect: the way back from `programs.litmus`."""

from __future__ import annotations

from typing import Protocol

from treville.programs.litmus.writing.aarch64 import AArch64Writer
from treville.programs.litmus.writing.c import CWriter, LinuxWriter
from treville.programs.litmus.writing.ppc import PPCWriter
from treville.programs.litmus.writing.program import Spelling, WrittenProgram
from treville.programs.litmus.writing.riscv import RISCVWriter
from treville.programs.litmus.writing.x86 import X86Writer


class Writer(Protocol):
    """A dialect that can be written: its instructions, the dependencies that its tests can have, whether a
    branch chooses what is executed, and the text of a program."""

    @property
    def spellings(self) -> tuple[Spelling, ...]:
        """Its instructions, simple ones first."""

    @property
    def dependencies(self) -> frozenset[str]:
        """Of `addr`, `data`, `ctrl`."""

    @property
    def two_ways(self) -> bool:
        """Does a branch choose what is executed?"""

    def write(self, program: WrittenProgram) -> str:
        """The text of a test."""


WRITERS: dict[str, Writer] = {
    "X86": X86Writer(),
    "PPC": PPCWriter(),
    "AArch64": AArch64Writer(),
    "RISCV": RISCVWriter(),
    "C": CWriter(),
    "LKMM": LinuxWriter(),
}
"""The dialects that can be written."""
