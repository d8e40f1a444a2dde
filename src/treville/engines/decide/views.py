"""All states of a machine with views: assertions and errors of memory under RC11.

The machine may do more than the model allows, never less, so a failing run counts only if the model finds its
execution consistent (docs/how-it-works/states.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treville.engines.contract import YES, Decision, Engine, GaveUp, Suitability
from treville.engines.decide.by_states import OF_MACHINES, Limit, decided
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.machines.by_model import has_views
from treville.machines.states import TooManyStates
from treville.results import Budget

if TYPE_CHECKING:
    from treville.machines.views.trace import Exploration


class Views(Engine[ProgramTask, Decision]):
    """See the module."""

    name = "views"
    supports = OF_MACHINES | {Feature.FAILURES, Feature.ENDS_AT_ERRORS, Feature.BEGINNINGS}

    def __init__(self) -> None:
        self._limit = Limit()
        self._exploration: Exploration | None = None

    def fits(self, task: ProgramTask) -> Suitability:
        """Is the model RC11?"""
        return YES if has_views(task.model) else Suitability(f"no machine with views does {task.model.name}")

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Explore on."""
        if self._exploration is None:
            from treville.machines.views.trace import Exploration

            try:
                self._exploration = Exploration(task.program, task.model, task.budget)
            except TooManyStates as error:
                return GaveUp(str(error))
        self._exploration.machine.limit = self._limit.grow(budget)
        with task.budget.stage("states"):
            answer = self._limit.explored(self._exploration.machine.explore)
        return decided(task, answer, self._exploration.execution)
