"""A search for differences -> the answer: Algorithm 4 of paper 004.

Trace: is there a difference? State: the trace query proposes states, each once; a state that the forbidding
model cannot reach is the answer; when no difference is left, everything that could have been new was looked
at, however many states are reachable.
"""

from __future__ import annotations

from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.differences.task import Comparison, Difference, DifferenceTask, Finding, Search
from treville.events.execution import Execution
from treville.events.kinds import FENCE
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.passes.joint import restricted
from treville.results import BudgetExceeded

# A program whose differing executions end in more states than this has no answer about states.
MAX_STATES = 20_000


def compare(task: DifferenceTask, search: Search) -> Comparison:
    """What the search ends in. `stats` says how many differences were looked at, and whether no loop was cut
    at the bound."""
    walk = _Walk(task, search)
    for dead in (True, False) if task.dead and task.by_state else (task.dead,):
        search.differences(walk.consider, states=task.by_state, dead=dead)
        if walk.found is not None:
            break
    stats = {"differences": walk.considered, "complete": not search.bound_reached, "engine": search.engine}
    if walk.found is not None:
        return Refuted(walk.found.execution, walk.found, task.bound, stats)
    if not search.some_run_ends():
        reason = f"no run ends within the bound {task.bound}, so nothing was compared"
        return GaveUp(reason, "raise --bound", bound=task.bound, stats=stats)
    return Proved(task.bound, stats)


class _Walk:
    """Considers one difference after the other until one answers the question."""

    def __init__(self, task: DifferenceTask, search: Search) -> None:
        self.task = task
        self.search = search
        self.found: Finding | None = None
        self.known: set[object] = set()
        self.considered = 0

    def consider(self, difference: Difference) -> bool:
        """Returns whether to go on."""
        by_state = self.task.by_state
        if by_state and difference.state in self.known:
            return True
        self.known.add(difference.state)
        self.considered += 1
        if self.considered > MAX_STATES:
            reason = f"more than {MAX_STATES} states of new executions are reachable on both sides"
            raise BudgetExceeded(reason, "compare executions with --notion trace")
        if by_state and self.search.reachable(difference.state):
            return True
        self.found = self._finding(difference)
        return False

    def _finding(self, difference: Difference) -> Finding:
        """The difference as evidence, checked by the plain evaluator, whichever engine found it."""
        allowing, forbidding = self.task.allowing, self.task.forbidding
        execution = difference.execution()
        for side, allowed in ((allowing, True), (forbidding, False)):
            if _is_consistent(side.model, side.seen(execution)) != allowed:
                raise RuntimeError(f"engine and evaluator differ on an execution under {side.model.name}")
        seen = forbidding.seen(execution)
        shown = _without_idle_threads(seen)
        if shown is not seen and _is_consistent(forbidding.model, shown):
            shown = seen
        models = (allowing.model, forbidding.model)
        return Finding(self.task.direction, difference.state, shown, allowing.seen(execution), *models)


def _is_consistent(model: Model, execution: Execution) -> bool:
    n, sets, relations = len(execution.events), execution.sets, execution.relations
    return evaluate(model, n, sets, relations, everything=False).consistent


def _without_idle_threads(execution: Execution) -> Execution:
    """Threads with nothing but fences, such as a `main` that creates and joins others, tell nothing."""
    busy = {event.thread for event in execution.events if event.kind is not FENCE}
    kept = [event for event in execution.events if event.thread in busy]
    return execution if len(kept) == len(execution.events) else restricted(execution, kept)
