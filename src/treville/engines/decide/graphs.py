"""All consistent execution graphs, each once: failures and threads that wait for ever, without states and
formulas.

What an execution graph does not tell makes no difference: neither the order of independent steps nor, as for
a machine, which buffers or views lead to the same reads (docs/how-it-works/graphs.md).
"""

from __future__ import annotations

import math

from treville.engines.contract import YES, Decision, Engine, Failure, GaveUp, Proved, Refuted, Suitability
from treville.engines.decide.by_states import OF_MACHINES
from treville.engines.depth import DEEPEST
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.machines.graphs.explore import Explorer, Failing
from treville.machines.graphs.of_program import (
    excludes_races,
    explorer_for,
    knows_races,
    suits_graphs,
)
from treville.machines.states import TooManyStates
from treville.models.evaluate import evaluate
from treville.passes.program import without_assertions
from treville.results import Budget
from treville.results.properties import Property

_BETWEEN_LOOKS = 256


class Graphs(Engine[ProgramTask, Decision]):
    """See the module. A unit of work is an event that is added to a graph."""

    name = "graphs"
    supports = OF_MACHINES | {
        Feature.FAILURES, Feature.RACES, Feature.DEADLOCKS, Feature.LIVENESS, Feature.ENDS_AT_ERRORS,
        Feature.FREES, Feature.BEGINNINGS,
    }  # fmt: skip

    def __init__(self) -> None:
        self._explorer: Explorer | None = None
        self._task: ProgramTask | None = None
        self._recursion = 1
        self._work = 0

    def fits(self, task: ProgramTask) -> Suitability:
        """Has the model what the search relies on?"""
        if Feature.RACES in task.features and not excludes_races(task.model):
            return Suitability(f"graphs do not know the races of {task.model.name}")
        return (
            YES if suits_graphs(task.model) else Suitability(f"graphs cannot be built for {task.model.name}")
        )

    def left(self) -> float:
        """As many units for what is left of the search as what is done of it took."""
        done = 0.0 if self._explorer is None else self._explorer.progress
        return self._work * (1.0 - done) / done if done > 0 else math.inf

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        """Explore on; where recursion was cut, and no bound was asked for, again with deeper recursion."""
        while (answer := self._explored(self._task or task, budget)) is None:
            if not self._deepened(task):
                return self._cut(task)
        return answer

    def _deepened(self, task: ProgramTask) -> bool:
        """Inline recursion deeper, if that is possible."""
        if task.bound is not None or 2 * self._recursion > DEEPEST:
            return False
        self._recursion *= 2
        with task.budget.stage("front end"):
            self._task = task.with_recursion(self._recursion)
        self._explorer = None
        return True

    def _explored(self, task: ProgramTask, budget: Budget) -> Decision | None:
        """An answer, or None where something was cut."""
        explorer = self._explorer = self._explorer or self._begun(task)

        def spend(units: int) -> None:
            if self._work % _BETWEEN_LOOKS + units >= _BETWEEN_LOOKS:
                task.budget.look(explorer.complete + explorer.blocked, "executions")
            self._work += units
            budget.spend(units)

        explorer.spend = spend
        try:
            with task.budget.stage("graphs"):
                found = explorer.explore()
        except TooManyStates as error:
            return GaveUp(str(error), stats=self._stats())
        if found is not None and found.is_race and not knows_races(task.model):
            return GaveUp(f"graphs do not know what else {task.model.name} orders", stats=self._stats())
        if found is not None:
            return self._refuted(task, explorer, found)
        if explorer.threads.was_cut:
            return None
        also = frozenset({Property.RACE}) if explorer.looks_for_races else frozenset()
        return Proved(stats=self._stats(), also=also)

    def _cut(self, task: ProgramTask) -> GaveUp:
        assert self._explorer is not None
        reason, advice = "something was cut at the bound", "raise --bound"
        cut = tuple(self._explorer.threads.cut.values())
        return GaveUp(reason, advice, bound=task.bound, cut=cut, stats=self._stats())

    def _begun(self, task: ProgramTask) -> Explorer:
        races, waits = Feature.RACES in task.features, task.property.is_about_waiting
        program = without_assertions(task.program) if races or waits else task.program
        explorer = explorer_for(program, task.model, task.property.errors, task.bound)
        explorer.races_fail = races
        explorer.waits_fail = task.property if waits else None
        # A program without errors has the same races, whether its assertions are left out or not.
        is_safety = task.property is Property.SAFETY
        explorer.looks_for_races = races or (is_safety and excludes_races(task.model))
        return explorer

    def _stats(self) -> dict[str, int]:
        assert self._explorer is not None
        return {
            "work": self._work, "executions": self._explorer.complete, "blocked": self._explorer.blocked,
        }  # fmt: skip

    def _refuted(self, task: ProgramTask, explorer: Explorer, found: Failing) -> Decision:
        from treville.machines.graphs.witness import answer_of, execution_of, waiting_of

        answer = answer_of(explorer, found)
        execution = execution_of(task.program, answer)
        judged = evaluate(
            task.model, len(execution.events), execution.sets, execution.relations, everything=False
        )
        if not judged.consistent:
            return GaveUp(f"a graph that {task.model.name} forbids", stats=self._stats())
        names = tuple(name or "main" for name in answer.bodies)
        waiting = waiting_of(answer, found)
        failed = (found.instruction,) if found.instruction else tuple(place for _, place in waiting)
        failure = Failure(task.program, names, failed, found.message, tuple(thread for thread, _ in waiting))
        return Refuted(execution, failure, stats=self._stats())
