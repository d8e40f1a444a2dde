"""Which register a condition looks at, and at what width.

A final state shows a register at its declared type, `int` where none is declared: the register's low
bits, signed or unsigned. Where registers are wider than that, the cast becomes an instruction at the end
of the thread, so that no engine needs to know about it.
"""

from __future__ import annotations

from treville.programs.draft import ProgramDraft
from treville.programs.ir import Local, Op, Reg
from treville.programs.litmus.initial import RegisterTypes

DEFAULT_BITS = 32


def has_wide_values(program: ProgramDraft) -> bool:
    """Does the initial state hold numbers that are no non-negative `int`?"""
    end = 1 << (DEFAULT_BITS - 1)
    for thread in program.threads:
        for value in thread.registers.values():
            if not 0 <= value < end:
                return True
    return any(not 0 <= value < end for location in program.locations.values() for value in location.initial)


class Observation:
    """Answers, for a register, which register holds what states show, its width, and its unsigned width.

    `cast` False promises that the program's registers hold no more than `int` values, so that undeclared
    registers are shown as they are.
    """

    def __init__(self, program: ProgramDraft, types: RegisterTypes, *, cast: bool) -> None:
        self.program, self.types, self.cast = program, types, cast
        self.made: dict[tuple[int, str, int], str] = {}

    def bits(self, thread: int, register: str) -> int:
        """The width at which the register is seen."""
        return self.types.get((thread, register), (DEFAULT_BITS, False))[0]

    def unsigned(self, thread: int, register: str) -> int:
        """The width at which it is shown as an unsigned number, or 0."""
        bits, unsigned = self.types.get((thread, register), (DEFAULT_BITS, False))
        return bits if unsigned else 0

    def register(self, thread: int, register: str) -> str:
        """The register that holds the cast value at the end of the thread; made on first use."""
        bits = self.bits(thread, register)
        if not self.cast or bits >= 64:
            return register
        made = self.made.get((thread, register, bits))
        if made is None:
            made = f"{register}#final"
            self.made[thread, register, bits] = made
            code = self.program.threads[thread].instructions
            index = code[-1].index + 1 if code else 0
            code.append(Local(made, Op("sext", (Reg(register),), bits), text="", index=index))
        return made
