"""A few interleavings: most mistakes show there, whatever the model. Refutes, and never proves.

Nothing is assumed about the model. A failing run of the machine without buffers is an execution like any
other; it counts if the relation algebra finds it consistent under the model, and only then.
"""

from __future__ import annotations

from random import Random

from treville.engines.contract import YES, Decision, Engine, GaveUp, Refuted, Suitability
from treville.engines.decide.by_states import OF_MACHINES, decided
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.machines.buffers.machine import Machine
from treville.machines.by_model import INTERLEAVING, machine_of
from treville.machines.states import Answer, TooManyStates
from treville.models.evaluate import evaluate
from treville.results import Budget
from treville.results.verdict import Verdict

# How many numbers of each kind are tried where a program gets any number, and a seed for the order of states.
_ATTEMPTS = ((1, None), (1, 0), (2, 1), (8, 2))
FEW_STATES = 2_500


class Interleavings(Engine[ProgramTask, Decision]):
    """See the module. Where the machine explores all of these states anyway, it does not suit; where a
    program gets any number, only a few are tried."""

    name = "interleavings"
    supports = OF_MACHINES | {
        Feature.FAILURES,
        Feature.FREES,
        Feature.BEGINNINGS,
        Feature.ATOMIC_BLOCKS,
        Feature.READ_COPY_UPDATE,
        Feature.NEGATIVE_RECURSION,
        Feature.LEAKS,
        Feature.ENDS_AT_ERRORS,
    }

    def fits(self, task: ProgramTask) -> Suitability:
        """Is it worth a look?"""
        if machine_of(task.model) == INTERLEAVING and Feature.ANY_NUMBERS not in task.features:
            return Suitability("all interleavings are explored anyway")
        return YES

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Look at the first states in a few orders."""
        limit = FEW_STATES if budget.units is None else budget.units
        arbitrary = Feature.ANY_NUMBERS in task.features
        answer = None
        with task.budget.stage("interleavings"):
            for samples, seed in _ATTEMPTS if arbitrary else _ATTEMPTS[:1]:
                answer = answer or _failure(task, limit, samples, seed)
        found = None if answer is None else decided(task, answer)
        if isinstance(found, Refuted):
            execution = found.execution
            judged = evaluate(
                task.model, len(execution.events), execution.sets, execution.relations, everything=False
            )
            if judged.consistent:
                return found
        return GaveUp("no failing interleaving among the first states")


def _failure(task: ProgramTask, limit: int, samples: int, seed: int | None) -> Answer | None:
    """A run that fails, if so many numbers of each kind show one soon."""
    order = None if seed is None else Random(seed)
    machine = Machine(
        task.program, INTERLEAVING, limit=limit, budget=task.budget, samples=samples, order=order,
        errors=task.property.errors,
    )  # fmt: skip
    try:
        answer = machine.explore()
    except TooManyStates:
        return None
    return answer if answer.verdict is Verdict.FAIL else None
