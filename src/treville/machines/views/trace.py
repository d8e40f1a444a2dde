"""A program under RC11 -> the answer of the machine with views; failing runs become executions.

The machine knows coherence and reads-from exactly, but the order of seq_cst accesses only in part (`step`):
it may do more than the model allows, never less. So a run that fails counts only if the model finds its
execution consistent."""

from __future__ import annotations

from treville.events.execution import Execution
from treville.machines.buffers.trace import Trace
from treville.machines.states import Answer, Log
from treville.machines.views.search import ViewMachine
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.programs.ir import Program
from treville.relations import EventId
from treville.results import Budget


class Exploration:
    """A search for a run that fails, of a program compiled for RC11. It can go on with larger limits."""

    def __init__(self, program: Program, model: Model, budget: Budget) -> None:
        self.program, self.model = program, model
        self.execution: Execution | None = None
        self.machine = ViewMachine(program, budget=budget, accepts=self._accepts)

    def _accepts(self, answer: Answer) -> bool:
        execution = ViewTrace(self.program, answer).execution()
        count, sets, relations = len(execution.events), execution.sets, execution.relations
        consistent = evaluate(self.model, count, sets, relations, everything=False).consistent
        self.execution = execution if consistent else None
        return consistent

    def answer(self, limit: int) -> Answer:
        """The answer, with the failing `execution` beside it. Raises `TooManyStates`."""
        self.machine.limit = limit
        return self.machine.explore()


class ViewTrace(Trace):
    """Builds the execution of a run in which writes may come before earlier ones in coherence order."""

    def __init__(self, program: Program, answer: Answer) -> None:
        super().__init__(program, Answer(answer.verdict, answer.states, answer.failed, _counted(answer.log)))
        self.place = 0

    def _event(self, entry: Log, run: Log) -> EventId:
        self.place = entry.place
        return super()._event(entry, run)

    def _source(self, entry: Log) -> EventId:
        return self._written(entry.address)[entry.place]

    def _commit(self, event: EventId) -> None:
        self._written(self._access(event).address).insert(self.place, event)


def _counted(log: list[Log]) -> list[Log]:
    """The same log with places that count from the initial write."""
    forgotten: dict[int, int] = {}
    found = []
    for entry in log:
        if entry.kind == "X":
            forgotten[entry.address] = forgotten.get(entry.address, 0) + entry.value
        else:
            found.append(entry._replace(place=entry.place + forgotten.get(entry.address, 0)))
    return found
