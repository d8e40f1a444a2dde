"""How the levels compare: inclusions that hold for every history, and histories that separate the rest.

`WEAKER` lists for each level the levels directly below it: whatever the first allows, they allow.
docs/history.md gives the reasons; `bench/histories_hierarchy.py` searches for counterexamples among all
small histories. `WITNESSES` shows that nothing else is included: a history and the levels that allow it.
"""

from __future__ import annotations

from treville.relations.graphs import reachable
from treville.results import Verdict

WEAKER: dict[str, tuple[str, ...]] = {
    "linearizability": ("SC",),
    "SC": ("TSO", "PC-G", "PC-D", "GAO", "causal", "PRAM-M"),
    "TSO": ("PSO",),
    "PSO": ("CC",),
    "PC-G": ("GPO+GDO",),
    "PC-D": ("CC",),
    "GAO": ("CC",),
    "GPO+GDO": ("CC", "PRAM"),
    "causal": ("PRAM", "GWO"),
    "PRAM-M": ("PRAM",),
    "GWO": ("LOCAL",),
    "CC": ("SLOW",),
    "PRAM": ("SLOW",),
    "SLOW": ("LOCAL",),
    "LOCAL": (),
}

WITNESSES: tuple[tuple[str, str], ...] = (
    ("(w,x,1).(w,x,2) || (r,x,2).(r,x,1)", "GWO LOCAL"),
    ("(w,x,1).(w,y,1) || (r,y,1).(r,x,0)", "PSO GWO CC SLOW LOCAL"),
    ("(w,x,1).(r,x,2) || (w,x,2).(r,x,1)", "causal PRAM-M GWO PRAM SLOW LOCAL"),
    (
        "(w,x,1).(r,y,0) || (w,y,1).(r,x,0)",
        "TSO PSO PC-G PC-D GAO GPO+GDO causal PRAM-M GWO CC PRAM SLOW LOCAL",
    ),
    ("(r,x,2).(w,x,1) || (r,x,1).(w,x,2)", "PRAM SLOW LOCAL"),
    ("(r,x,1).(w,y,1) || (r,y,1).(w,x,1)", "PC-G PC-D GAO GPO+GDO CC PRAM SLOW LOCAL"),
    (
        "(w,x,1).(w,y,1).(r,y,2) || (w,y,2).(r,x,0)",
        "TSO PSO PC-D GAO GPO+GDO causal PRAM-M GWO CC PRAM SLOW LOCAL",
    ),
    ("(w,x,1).(r,x,1).(w,y,1) || (r,y,1).(r,x,0)", "PSO CC SLOW LOCAL"),
    (
        "(w,x,1).(r,x,1).(r,y,0) || (w,y,1).(r,x,0)",
        "TSO PSO PC-G PC-D GPO+GDO causal PRAM-M GWO CC PRAM SLOW LOCAL",
    ),
    ("(r,x,2).(w,x,1).(w,y,1) || (r,y,1).(w,x,2)", "GAO GPO+GDO CC PRAM SLOW LOCAL"),
    ("(r,x,1).(w,y,1).(w,y,2) || (r,y,2).(w,x,1)", "PC-G GAO GPO+GDO CC PRAM SLOW LOCAL"),
    ("(r,x,1).(w,y,1).(r,y,2) || (w,y,2).(w,x,1)", "PSO GAO GWO CC SLOW LOCAL"),
    ("(r,x,2).(w,x,1) || (r,x,1).(r,x,2) || (w,x,2)", "PRAM-M PRAM SLOW LOCAL"),
    (
        "(w,x,1).(w,y,1).(r,y,2) || (w,y,2).(r,y,2).(r,x,0)",
        "TSO PSO GPO+GDO causal PRAM-M GWO CC PRAM SLOW LOCAL",
    ),
    ("(w,x,1).(r,y,0).(r,y,2).(r,x,1) || (w,y,1).(w,x,2).(w,y,2)", "TSO PSO PC-D GAO GWO CC SLOW LOCAL"),
    (
        "(w,x,1).(w,a,1).(r,b,1).(r,x,1) || (w,x,2).(w,b,1).(r,a,1).(r,x,2)",
        "PSO GPO+GDO causal GWO CC PRAM SLOW LOCAL",
    ),
    (
        "(w,x,1).(r,y,0).(r,z,1).(r,x,1) || (w,y,1) || (r,y,1).(w,x,2).(r,x,2).(w,z,1)",
        "TSO PSO PC-G PC-D GPO+GDO PRAM-M CC PRAM SLOW LOCAL",
    ),
)
"""Histories and the levels that allow them, smallest first; those of up to six operations are smallest
among all histories with unique values, up to four threads and two keys."""


def weaker_than(level: str) -> set[str]:
    """All levels that allow whatever this one allows, itself not counted."""
    return reachable(WEAKER[level], WEAKER.__getitem__)


def separating(first: str, second: str) -> str | None:
    """A history that the first level allows and the second forbids, None when there is none."""
    for history, levels in WITNESSES:
        allowed = levels.split()
        if first in allowed and second not in allowed:
            return history
    return None


def strongest_satisfied(verdicts: dict[str, Verdict]) -> list[str]:
    """The satisfied levels that no other satisfied level is stronger than."""
    passing = [name for name, verdict in verdicts.items() if verdict is Verdict.PASS]
    return [name for name in passing if not any(name in weaker_than(other) for other in passing)]


def weakest_violated(verdicts: dict[str, Verdict]) -> list[str]:
    """The violated levels that are stronger than no other violated level."""
    failing = [name for name, verdict in verdicts.items() if verdict is Verdict.FAIL]
    return [name for name in failing if not weaker_than(name) & set(failing)]
