"""Every level for one history, each level learning from those that are already decided.

A sequentially consistent order of all events, restricted to the events of each view, is evidence for every
weaker level; so the levels are asked from the strongest down, and what such an order shows is not searched
for again. The answer says so, and its evidence has been checked like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from treville.histories import evidence
from treville.histories.audit import objections
from treville.histories.check import Answer, check
from treville.histories.hierarchy import weaker_than
from treville.histories.history import History
from treville.histories.levels import Level
from treville.results import Budget, Verdict


def check_all(
    history: History,
    levels: Iterable[Level],
    budget: Callable[[], Budget],
    algorithm: str = "auto",
) -> Iterator[Answer]:
    """The answers for the levels in the given order; `budget` opens a new budget for each level."""
    done: dict[str, Answer] = {}
    for level in levels:
        answer = _from_one_order(history, level, done) if algorithm == "auto" else None
        if answer is None:
            answer = check(history, level, budget(), algorithm)
        done[level.name] = answer
        yield answer


def _from_one_order(history: History, level: Level, done: dict[str, Answer]) -> Answer | None:
    """The evidence that an order of everything gives for a weaker level."""
    started = time.monotonic()
    for name in ("linearizability", "SC"):
        found = done.get(name)
        if found is None or found.execution is None or level.name not in weaker_than(name):
            continue
        (_, order), *_ = found.execution.views
        execution = evidence.from_one_order(level, history.events, order, found.execution.sources)
        if objections(level, history.events, execution):
            return None
        seconds = time.monotonic() - started
        return Answer(level, Verdict.PASS, f"implied by {name}", "", seconds, execution)
    return None
