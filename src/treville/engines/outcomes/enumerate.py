"""Lists every candidate execution: for small tests the fastest way, and the only one that counts executions.

A unit of work is a trace, a selection of traces or a candidate. It cannot go on after it gave up: what it
lists first is listed again.
"""

from __future__ import annotations

from treville.engines.contract import Engine, GaveUp, States
from treville.engines.features import OF_KERNELS, OF_MODELS, OF_TESTS, OF_THREADS
from treville.engines.task import OutcomeTask
from treville.enumeration.candidates import enumerate_outcomes
from treville.results import Budget


class Enumerate(Engine[OutcomeTask, States]):
    """See the module."""

    name = "enumerate"
    supports = OF_THREADS | OF_KERNELS | OF_TESTS | OF_MODELS

    def search(self, task: OutcomeTask, budget: Budget) -> States | GaveUp:
        """All final states with their numbers of consistent executions."""
        found = enumerate_outcomes(task.test, task.model, task.bound, task.budget, budget.units)
        return States(
            found.states,
            frozenset(found.flags),
            found.bound_reached,
            unfinished=found.unfinished,
            stats={"candidates": found.candidates},
        )
