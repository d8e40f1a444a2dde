"""All states of the machine without buffers: data races under SC (H.-J. Boehm, S. Adve, PLDI 2008)."""

from __future__ import annotations

from treville.engines.contract import YES, Decision, Engine, Suitability
from treville.engines.decide.by_states import OF_MACHINES, Limit, decided
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.fences import PART
from treville.machines.buffers.machine import Machine
from treville.machines.buffers.races import ORDINARY, RaceSearch
from treville.machines.by_model import INTERLEAVING, machine_of
from treville.models.races import is_about_parts
from treville.passes.program import without_assertions
from treville.results import Budget


class RacesByStates(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "races"
    supports = OF_MACHINES | {Feature.RACES, Feature.FREES, Feature.ATOMIC_BLOCKS}

    def __init__(self) -> None:
        self._limit = Limit()
        self._search: RaceSearch | None = None

    def fits(self, task: ProgramTask) -> Suitability:
        """Is the model SC?"""
        known = machine_of(task.model) == INTERLEAVING
        return YES if known else Suitability(f"{task.model.name} is not sequential consistency")

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Explore on."""
        if self._search is None:
            program = without_assertions(task.program)
            tag = PART if is_about_parts(task.model) else ORDINARY
            machine = Machine(program, INTERLEAVING, budget=task.budget, errors=frozenset())
            self._search = RaceSearch(machine, tag)
        self._search.machine.limit = self._limit.grow(budget)
        with task.budget.stage("states"):
            return decided(task, self._limit.explored(self._search.explore))
