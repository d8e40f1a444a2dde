"""How the levels compare: inclusions that hold for every history, and histories that separate the rest.

`WEAKER` lists for each level the levels directly below it: whatever the first allows, they allow.
docs/history.md gives the reasons; `bench/histories_hierarchy.py` searches for counterexamples among all
small histories. `WITNESSES` shows that nothing else is included: a history and the levels that allow it.
"""

from __future__ import annotations

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


def weaker_than(level: str) -> set[str]:
    """All levels that allow whatever this one allows, itself not counted."""
    found: set[str] = set()
    frontier = list(WEAKER[level])
    while frontier:
        name = frontier.pop()
        if name not in found:
            found.add(name)
            frontier.extend(WEAKER[name])
    return found


def strongest_satisfied(verdicts: dict[str, Verdict]) -> list[str]:
    """The satisfied levels that no other satisfied level is stronger than."""
    passing = [name for name, verdict in verdicts.items() if verdict is Verdict.PASS]
    return [name for name in passing if not any(name in weaker_than(other) for other in passing)]


def weakest_violated(verdicts: dict[str, Verdict]) -> list[str]:
    """The violated levels that are stronger than no other violated level."""
    failing = [name for name, verdict in verdicts.items() if verdict is Verdict.FAIL]
    return [name for name in failing if not weaker_than(name) & set(failing)]
