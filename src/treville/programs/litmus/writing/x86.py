"""Programs -> litmus tests of x86. Its tests have no dependencies: no x86 processor looks at them."""

from __future__ import annotations

from treville.programs.litmus.writing.assembly import AssemblyWriter
from treville.programs.litmus.writing.program import LOCATIONS, Access, Branch, Role, Spelling, WrittenProgram

_REGISTERS = ("EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP")


class X86Writer(AssemblyWriter):
    """Moves, locked exchanges, fences."""

    dialect = "X86"
    dependencies = frozenset()
    spellings = (
        Spelling("r", Role.READ, "MOV {register},[{location}]"),
        Spelling("w", Role.WRITE, "MOV [{location}],${value}"),
        Spelling("xchg", Role.EXCHANGE, "XCHG [{location}],{register}", 1),
        Spelling("mfence", Role.FENCE, "MFENCE", 1, ("sfence", "lfence")),
        Spelling("sfence", Role.FENCE, "SFENCE", 2),
        Spelling("lfence", Role.FENCE, "LFENCE", 2),
    )

    def value(self, number: int) -> str:
        """See `AssemblyWriter`."""
        return _REGISTERS[number]

    def pointer(self, location: int) -> str:
        """Locations have names of their own."""
        raise AssertionError(location)

    def _initial(self, program: WrittenProgram) -> str:
        del program
        return "{ }"

    def access(self, access: Access, number: int) -> list[str]:
        """See `AssemblyWriter`."""
        register, spelling = self.value(number), access.spelling
        text = spelling.text.format(
            register=register, location=LOCATIONS[access.location], value=access.value
        )
        return [f"MOV {register},${access.value}", text] if spelling.role is Role.EXCHANGE else [text]

    def branch(self, branch: Branch, label: str) -> list[str]:
        """There are none."""
        raise AssertionError((branch, label))
