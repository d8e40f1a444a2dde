"""Programs -> litmus tests of machines: a column of instructions for each thread.

Dependencies are the usual ones: a value is combined with itself to nothing and added to an address or to what
is stored; a branch goes to the next instruction either way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import zip_longest

from treville.programs.litmus.writing.program import (
    AND,
    LOCATIONS,
    Access,
    Barrier,
    Branch,
    Spelling,
    WrittenProgram,
)


class AssemblyWriter(ABC):
    """Writes one dialect. Registers: `value(i)` gets what the i-th read of a thread finds, `pointer(l)` holds
    the address of a location."""

    dialect: str
    spellings: tuple[Spelling, ...]
    dependencies: frozenset[str] = frozenset({"addr", "data", "ctrl"})
    two_ways = False  # does a branch choose what is executed?

    def write(self, program: WrittenProgram) -> str:
        """The text of the test."""
        columns = [self._thread(program, thread) for thread in range(len(program.threads))]
        head = [f"{self.dialect} {program.name}", *([f'"{program.comment}"'] if program.comment else [])]
        return "\n".join([*head, self._initial(program), *_table(columns), self._condition(program), ""])

    def _thread(self, program: WrittenProgram, thread: int) -> list[str]:
        lines: list[str] = []
        label = reads = 0
        for item in program.threads[thread]:
            if isinstance(item, Access):
                lines += self.access(item, reads)
                reads += item.spelling.reads
            elif isinstance(item, Barrier):
                lines.append(item.spelling.text)
            else:
                lines += self.branch(item, f"L{thread}{label}")
                label += 1
        return lines

    def _initial(self, program: WrittenProgram) -> str:
        lines = []
        for thread in range(len(program.threads)):
            used = sorted({access.location for access in program.accesses(thread)})
            pointers = [f"{thread}:{self.pointer(place)}={LOCATIONS[place]};" for place in used]
            lines.append(" " + " ".join(pointers))
        return "\n".join(["{", *lines, "}"])

    def _condition(self, program: WrittenProgram) -> str:
        outcome = program.outcome
        parts = [f"{thread}:{self.shown(number)}={value}" for thread, number, value in outcome.registers]
        parts += [f"{LOCATIONS[place]}={value}" for place, value in outcome.memory]
        return f"exists ({AND.join(parts)})"

    def shown(self, number: int) -> str:
        """The register of a read as conditions have it."""
        return self.value(number)

    @abstractmethod
    def value(self, number: int) -> str:
        """The register that gets what a read finds."""

    @abstractmethod
    def pointer(self, location: int) -> str:
        """The register that holds an address."""

    @abstractmethod
    def access(self, access: Access, number: int) -> list[str]:
        """The instructions of an access, before which there were so many reads."""

    @abstractmethod
    def branch(self, branch: Branch, label: str) -> list[str]:
        """A branch to the next instruction."""


def _table(columns: list[list[str]]) -> list[str]:
    """Threads side by side."""
    named = [[f"P{number}", *column] for number, column in enumerate(columns)]
    widths = [max(map(len, column)) for column in named]
    rows = []
    for cells in zip_longest(*named, fillvalue=""):
        rows.append(
            " " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " ;"
        )
    return rows
