"""Histories in which the source of every read is certain (unique values): levels decided in polynomial time.

Every view is built on its own by the algorithm for its scope and orders: `clusters.py` for single keys and
for real time, `clocks.py` for single processes. A level is decided here when all its views are, and when they
need not agree with each other. For SC, TSO, PSO and what adds agreement the question stays NP-complete or
open even with unique values (Gibbons and Korach 1997); they go on to saturation and search.
"""

from __future__ import annotations

from treville.histories import clocks, clusters
from treville.histories.clusters import certain_sources
from treville.histories.history import Events
from treville.histories.levels import LEVELS, Level, Scope, View
from treville.histories.saturation import Conflict
from treville.histories.views import Execution, Instance, instances
from treville.results import Budget

_BY_KEY = {(Scope.LOCATION, ("program",)), (Scope.PROCESS_LOCATION, ("program",))}
_BY_PROCESS = {(Scope.PROCESS, ("program",)), (Scope.PROCESS, ("causal",))}
_IN_REAL_TIME = (Scope.EVERYTHING, ("program", "real-time"))


def _algorithm(view: View) -> str | None:
    shape = (view.scope, view.orders)
    if view.forwarding:
        return None
    if shape == _IN_REAL_TIME:
        return "zones"
    return "clusters" if shape in _BY_KEY else "vector clocks" if shape in _BY_PROCESS else None


def algorithm_of(level: Level) -> str | None:
    """What decides the level when all sources are certain; None where nothing does in polynomial time."""
    names = [_algorithm(view) for view in level.views]
    if level.agree or None in names:
        return None
    return " and ".join(name for name in names if name)


POLYNOMIAL_WITH_CERTAIN_SOURCES = tuple(name for name, level in LEVELS.items() if algorithm_of(level))


def decide(level: Level, events: Events, budget: Budget) -> Execution | Conflict | None:
    """The views of the level, or the events of a contradiction; None where this is for others to decide."""
    if algorithm_of(level) is None or (sources := certain_sources(events)) is None:
        return None
    if any((view.scope, view.orders) == _IN_REAL_TIME for view in level.views):
        return clusters.linearised(level, events, sources, budget)
    if any("causal" in view.orders for view in level.views):
        cycle = clocks.causal_cycle(events, sources)
        if cycle is not None:
            return cycle
    readers: dict[int, list[int]] = {}
    for read, write in sources.items():
        readers.setdefault(write, []).append(read)
    chosen: list[tuple[Instance, tuple[int, ...]]] = []
    for instance in instances(level, events):
        budget.check()
        found = (
            clocks.process_view(events, instance, sources, readers, budget)
            if instance.location is None
            else clusters.view_of_key(events, instance, sources)
        )
        if isinstance(found, Conflict):
            return found
        chosen.append((instance, found))
    return Execution(sources, tuple(chosen))
