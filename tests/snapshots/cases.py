"""Files of command lines -> cases.

A file is a family of cases. Each line is the arguments of `treville` as a shell would take them; `#` begins a
comment. `{out}` stands for an empty folder, whose files belong to the answer, and `< FILE` at the end is
standard input.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = "{out}"
_OF_C = (".c", ".i", ".ll", ".bc")
_SAT_SOLVERS = ("sat", "cadical", "rounds")


@dataclass(frozen=True, slots=True)
class Case:
    """A command line, and the family that it belongs to."""

    family: str
    line: str

    @property
    def arguments(self) -> list[str]:
        """What `treville` is called with."""
        return shlex.split(self.line.partition(" < ")[0])

    @property
    def standard_input(self) -> str:
        """The file that is read as standard input, or nothing."""
        return self.line.partition(" < ")[2]

    @property
    def needs(self) -> set[str]:
        """The packages beyond those that Treville always has."""
        words = set(self.arguments)
        needed = {"llvmlite", "ziglang"} if any(word.endswith(_OF_C) for word in words) else set()
        if words & {"z3", "--certify", "halfspace"}:
            needed.add("z3")
        return needed | {"pysat"} if words & set(_SAT_SOLVERS) else needed


def families() -> list[str]:
    """The names of the files of cases, in order."""
    return sorted(path.stem for path in (HERE / "commands").glob("*.txt"))


def cases(family: str) -> list[Case]:
    """The cases of a family, in order."""
    lines = (HERE / "commands" / f"{family}.txt").read_text(encoding="utf-8").splitlines()
    return [Case(family, line.strip()) for line in lines if line.strip() and not line.startswith("#")]


def all_cases() -> list[Case]:
    """The cases of all families."""
    return [case for family in families() for case in cases(family)]
