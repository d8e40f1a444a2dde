"""Large histories at levels without a polynomial algorithm: what the levels above and below say of them.

A history that a weaker level forbids is forbidden, for the same events; the views of a stronger level that
allows it, restricted to the events of each view, are evidence. Only levels that `certain.py` decides are
asked.
"""

from __future__ import annotations

from treville.histories import certain, evidence
from treville.histories.hierarchy import weaker_than
from treville.histories.history import Events
from treville.histories.levels import LEVELS, Level, Scope
from treville.histories.saturation import Conflict
from treville.histories.views import Execution, instances
from treville.results import Budget


def decide(level: Level, events: Events, budget: Budget) -> tuple[str, Execution | Conflict] | None:
    """Which level decides the history for this one, with the evidence or the contradiction; None if none."""
    allowed: set[str] = set()  # what a level allows, those below it need not be asked
    for name in certain.POLYNOMIAL_WITH_CERTAIN_SOURCES:
        other = LEVELS[name]
        above, below = level.name in weaker_than(name), name in weaker_than(level.name)
        if not (above or below) or name in allowed or (other.needs_times and not events.history.has_times):
            continue
        found = certain.decide(other, events, budget)
        if below and isinstance(found, Conflict):
            return f"forbidden by {name}, {certain.algorithm_of(other)}", found
        if isinstance(found, Execution):
            allowed |= weaker_than(name)
        if above and isinstance(found, Execution):
            execution = _restricted(level, events, other, found)
            if execution is not None:
                return f"implied by {name}, {certain.algorithm_of(other)}", execution
    return None


def _restricted(level: Level, events: Events, stronger: Level, found: Execution) -> Execution | None:
    """The stronger level's views as those of the level, where they are of the same events or of all."""
    if all(view.scope is Scope.EVERYTHING for view in stronger.views):
        (_, order), *_ = found.views
        return evidence.from_one_order(level, events, order, found.sources)
    orders = {(instance.thread, instance.location): order for instance, order in found.views}
    wanted = list(instances(level, events))
    if any((instance.thread, instance.location) not in orders for instance in wanted):
        return None
    chosen = tuple((instance, orders[instance.thread, instance.location]) for instance in wanted)
    return Execution(found.sources, chosen)
