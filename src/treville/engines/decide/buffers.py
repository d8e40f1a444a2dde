"""All states of a machine with store buffers: assertions and errors of memory under SC, TSO and PSO.

The answer needs no bound, and lock-free structures with their read-modify-writes suit it better than a
solver (S. Owens, S. Sarkar, P. Sewell, TPHOLs 2009; paper 001, section 2).
"""

from __future__ import annotations

from treville.engines.contract import YES, Decision, Engine, Suitability
from treville.engines.decide.by_states import OF_MACHINES, Limit, decided
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.machines.buffers.machine import Machine
from treville.machines.by_model import machine_of
from treville.results import Budget


class StoreBuffers(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "buffers"
    supports = OF_MACHINES | {
        Feature.FAILURES,
        Feature.FREES,
        Feature.ATOMIC_BLOCKS,
        Feature.LEAKS,
        Feature.ENDS_AT_ERRORS,
    }

    def __init__(self) -> None:
        self._limit = Limit()
        self._machine: Machine | None = None

    def fits(self, task: ProgramTask) -> Suitability:
        """Is there a machine that does just what the model says?"""
        if machine_of(task.model) is None:
            return Suitability(f"no machine with store buffers does what {task.model.name} says")
        return YES

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Explore on."""
        if self._machine is None:
            model, errors = machine_of(task.model) or "", task.property.errors
            self._machine = Machine(task.program, model, budget=task.budget, errors=errors)
        self._machine.limit = self._limit.grow(budget)
        with task.budget.stage("states"):
            return decided(task, self._limit.explored(self._machine.explore))
