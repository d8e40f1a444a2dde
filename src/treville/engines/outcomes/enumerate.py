"""Lists every candidate execution: for small tests the fastest way, and the only one that counts executions.

A unit of work is a trace, a selection of traces or a candidate. It cannot go on after it gave up: what it
lists first is listed again.
"""

from __future__ import annotations

from treville.engines.contract import Engine, GaveUp, States
from treville.engines.features import Feature
from treville.engines.task import OutcomeTask
from treville.results import Budget
from treville.solving.enumeration.engine import enumerate_outcomes

# What only whole programs have.
OF_PROGRAMS = frozenset(
    {
        Feature.ANY_NUMBERS, Feature.WAITING_FOR_VALUES, Feature.ASSERTIONS, Feature.RECURSION,
        Feature.THREADS, Feature.JOINS, Feature.ALLOCATION, Feature.FRESH_MEMORY, Feature.FREES,
        Feature.PRIVATE_OBJECTS, Feature.ATOMIC_BLOCKS, Feature.FAILURES, Feature.RACES, Feature.DEADLOCKS,
        Feature.LIVENESS,
    }
)  # fmt: skip


class Enumerate(Engine[OutcomeTask, States]):
    """See the module."""

    name = "enumerate"
    supports = frozenset(Feature) - OF_PROGRAMS

    def search(self, task: OutcomeTask, budget: Budget) -> States | GaveUp:
        """All final states with their numbers of consistent executions."""
        found = enumerate_outcomes(task.test, task.model, task.bound, task.budget, budget.units)
        return States(
            found.states, frozenset(found.flags), found.bound_reached, stats={"candidates": found.candidates}
        )
