"""All states of a machine with store buffers: deadlock and liveness under SC, TSO and PSO."""

from __future__ import annotations

from treville.engines.contract import YES, Decision, Engine, Suitability
from treville.engines.decide.by_states import OF_MACHINES, Limit, decided
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.machines.buffers.machine import Machine
from treville.machines.buffers.waiting import WaitingSearch
from treville.machines.by_model import machine_of
from treville.passes.program import without_assertions
from treville.results import Budget


class WaitingByStates(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "waiting"
    supports = OF_MACHINES | {Feature.DEADLOCKS, Feature.LIVENESS, Feature.FREES, Feature.ATOMIC_BLOCKS}

    def __init__(self) -> None:
        self._limit = Limit()
        self._search: WaitingSearch | None = None

    def fits(self, task: ProgramTask) -> Suitability:
        """Is there a machine that does just what the model says?"""
        if machine_of(task.model) is None:
            return Suitability(f"no machine with store buffers does what {task.model.name} says")
        return YES

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Explore on."""
        if self._search is None:
            machine = Machine(
                without_assertions(task.program), machine_of(task.model) or "", budget=task.budget
            )
            self._search = WaitingSearch(machine, task.property)
        self._search.machine.limit = self._limit.grow(budget)
        with task.budget.stage("states"):
            answer = self._limit.explored(self._search.explore)
        return decided(task, answer, waiting=self._search.waiting)
