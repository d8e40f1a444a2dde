"""SC's states as the answer for RC11, where they show that RC11 allows nothing else (Lahav and Margalit,
PLDI 2019)."""

from __future__ import annotations

from treville.engines.contract import YES, Decision, Engine, GaveUp, Proved, Suitability
from treville.engines.decide.by_states import OF_MACHINES, Limit, decided
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.machines.buffers.machine import Machine
from treville.machines.buffers.robustness import NotRobust, RobustSearch
from treville.machines.by_model import INTERLEAVING, has_views
from treville.results import Budget


class Robustness(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "robustness"
    supports = OF_MACHINES | {Feature.FAILURES, Feature.FREES, Feature.ENDS_AT_ERRORS}

    def __init__(self) -> None:
        self._limit = Limit()
        self._search: RobustSearch | None = None

    def fits(self, task: ProgramTask) -> Suitability:
        """Is the model RC11?"""
        return YES if has_views(task.model) else Suitability(f"{task.model.name} is not RC11")

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Explore on."""
        if self._search is None:
            errors = task.property.errors
            machine = Machine(task.program, INTERLEAVING, budget=task.budget, errors=errors)
            self._search = RobustSearch(machine)
        self._search.machine.limit = self._limit.grow(budget)
        try:
            with task.budget.stage("states"):
                found = decided(task, self._limit.explored(self._search.explore))
        except NotRobust:
            return GaveUp("RC11 may allow more than interleavings")
        if self._search.machine.memories.frees and isinstance(found, Proved):
            return GaveUp("whether accesses happen before their object is freed, SC's states do not tell")
        return found
