"""Views of a few threads: any number of threads that are started without end, under SC, TSO and PSO."""

from __future__ import annotations

from treville.engines.contract import YES, Decision, Engine, GaveUp, Proved, Suitability
from treville.engines.decide.by_states import OF_MACHINES
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.machines.buffers.view_abstraction import any_number_is_safe, starts_threads_without_end
from treville.machines.by_model import machine_of
from treville.results import Budget

MOST_VIEWS = 20_000


class ViewAbstraction(Engine[ProgramTask, Decision]):
    """Proves, and never refutes (P. A. Abdulla, F. Haziza, L. Holik, VMCAI 2013)."""

    name = "view-abstraction"
    supports = (OF_MACHINES - {Feature.ALLOCATION, Feature.FRESH_MEMORY, Feature.UNSET_CONTENTS}) | {
        Feature.FAILURES,
        Feature.ATOMIC_BLOCKS,
        Feature.ENDS_AT_ERRORS,
    }

    def fits(self, task: ProgramTask) -> Suitability:
        """Is there a machine for the model, and does the program start threads without end?"""
        if machine_of(task.model) is None:
            return Suitability(f"no machine with store buffers does what {task.model.name} says")
        endless = starts_threads_without_end(task.program)
        return YES if endless else Suitability("the program starts threads finitely often")

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Look at larger and larger views."""
        limit = MOST_VIEWS if budget.units is None else budget.units
        with task.budget.stage("views"):
            views = any_number_is_safe(task.program, machine_of(task.model) or "", limit, task.budget)
        return GaveUp("views of few threads do not tell") if views is None else Proved(stats={"views": views})
