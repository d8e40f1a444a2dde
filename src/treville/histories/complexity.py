"""How hard it is to check a history under each level: paper 004, Figure 3.4, by its theorems.

The problem is asked for any history, and for those where the number of processes, of operations of a process,
or of keys is fixed. All of it is in NP (section 3.5). What no theorem decides is open.
"""

from __future__ import annotations

from enum import StrEnum
from typing import cast

from treville.records import NamedTuple
from treville.results.reports.history import ComplexityReport, HardnessCase


class Hardness(StrEnum):
    """A class of complexity."""

    POLYNOMIAL = "P"
    COMPLETE = "NP-complete"
    OPEN = "open"


class Case(NamedTuple):
    """How hard, and by which theorem of the thesis."""

    hardness: Hardness
    theorem: int | None = None

    def __str__(self) -> str:
        return self.hardness if self.theorem is None else f"{self.hardness} ({self.theorem})"


class Complexity(NamedTuple):
    """A level's row: in general, and where the number of processes, operations of each, or keys is fixed."""

    general: Case
    processes: Case
    operations: Case
    keys: Case


_OPEN = Case(Hardness.OPEN)
_LOCAL = Case(Hardness.POLYNOMIAL, 5)
_CC, _SLOW, _PRAM = (Case(Hardness.POLYNOMIAL, theorem) for theorem in (6, 7, 8))
_TO_SLOW, _TO_GWO, _TO_CC, _TO_PSO = (Case(Hardness.COMPLETE, theorem) for theorem in (1, 2, 3, 4))

_BUFFERS = Complexity(_TO_SLOW, _TO_PSO, _TO_CC, _TO_SLOW)
_COHERENT = Complexity(_TO_SLOW, _OPEN, _TO_CC, _TO_SLOW)
COMPLEXITY = {
    "SC": _BUFFERS,
    "TSO": _BUFFERS,
    "PSO": _BUFFERS,
    "PC-G": _COHERENT,
    "PC-D": _COHERENT,
    "GAO": _COHERENT,
    "GPO+GDO": _COHERENT,
    "causal": Complexity(_TO_SLOW, _OPEN, _TO_GWO, _TO_SLOW),
    "PRAM-M": Complexity(_TO_SLOW, _OPEN, _OPEN, _TO_SLOW),
    "GWO": Complexity(_TO_GWO, _OPEN, _TO_GWO, _TO_GWO),
    "CC": Complexity(_TO_SLOW, _CC, _TO_CC, _TO_SLOW),
    "PRAM": Complexity(_TO_SLOW, _OPEN, _PRAM, _TO_SLOW),
    "SLOW": Complexity(_TO_SLOW, _SLOW, _PRAM, _TO_SLOW),
    "LOCAL": Complexity(_LOCAL, _LOCAL, _LOCAL, _LOCAL),
}
_HEAD = ("level", "in general", "fixed processes", "fixed operations of each", "fixed keys")


def complexity_lines(levels: list[str]) -> list[str]:
    """The table for people; numbers are those of the theorems."""
    rows = [_HEAD, *((level, *map(str, COMPLEXITY[level])) for level in levels)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    return [
        "  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def complexity_report(level: str) -> ComplexityReport:
    """A level's row for JSON."""
    general, processes, operations, keys = (
        {"class": case.hardness.value, "theorem": case.theorem} for case in COMPLEXITY[level]
    )
    return ComplexityReport(
        level=level,
        general=cast(HardnessCase, general),
        processes=cast(HardnessCase, processes),
        operations=cast(HardnessCase, operations),
        keys=cast(HardnessCase, keys),
    )
