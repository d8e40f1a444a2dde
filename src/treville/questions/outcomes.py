"""`treville litmus`: which final states can a litmus test reach under a model? (paper 004, chapter 2)

    test -> passes -> task -> engines, as the schedule has them -> the condition, judged on the states

Small tests go to the explicit engine, which also counts executions as herd7 does; what is too large for it
goes to the symbolic one, which enumerates final states only.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from treville.analysis.alias_names import FLOW, Alias
from treville.engines.contract import GaveUp, State
from treville.engines.registry import AUTO, OUTCOMES
from treville.engines.schedule import OUTCOME_SLICES, Slice, run
from treville.engines.task import OutcomeTask, outcome_task
from treville.models.model import Model
from treville.programs.litmus.states import state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.results import Budget, BudgetExceeded
from treville.results.defaults import BOUND


@dataclass(slots=True)
class Outcomes:
    """The answer for one test and one model.

    `states` maps each reachable final state (values in the order of `test.observed`) to the number of
    consistent executions that end in it, or to None where the engine does not count. `positive` and
    `negative` count executions as herd7 does. `holds` is None where the behaviour is undefined (a data
    race in C). `observation` is Never, Sometimes or Always. Not `complete`: there are too many states to
    list; observation, verdict and flags hold for all of them.
    """

    test: LitmusTest
    model: str
    states: dict[State, int | None]
    holds: bool | None
    observation: str
    positive: int | None
    negative: int | None
    flags: list[str] = field(default_factory=list)
    bound_reached: bool = False
    complete: bool = True
    engine: str = ""
    seconds: float = 0.0


def outcomes(
    test: LitmusTest,
    model: Model,
    bound: int = BOUND,
    budget: Budget | None = None,
    engine: str = AUTO,
    alias: Alias = FLOW,
) -> Outcomes:
    """Every final state of the test under the model; raises `BudgetExceeded` when the budget ends first."""
    started = time.monotonic()
    task = outcome_task(test, model, bound, budget, alias)
    slices = OUTCOME_SLICES if engine == AUTO else (Slice(engine),)
    scheduled = run(task, slices, OUTCOMES, refusals_end=True)
    found = scheduled.answer
    if isinstance(found, GaveUp):
        raise found.error or BudgetExceeded(found.reason, found.advice)
    answer = _conclude(task, found.counts)
    answer.flags = sorted(found.flags)
    answer.bound_reached = found.cut
    answer.complete = found.complete
    answer.engine = scheduled.engine
    if found.flags & {axiom.name for axiom in model.axioms if axiom.undefined}:
        answer.holds = None
    answer.seconds = time.monotonic() - started
    return answer


def _conclude(task: OutcomeTask, states: Mapping[State, int | None]) -> Outcomes:
    """Judge the condition on the states. The observation says how often the proposition holds; under
    `~exists` an execution counts as positive if the proposition does not hold, as herd7 counts."""
    test = task.test
    inside = {state: count for state, count in states.items() if state_satisfies(test, state)}
    outside = {state: count for state, count in states.items() if state not in inside}
    observation = "Never" if not inside else "Sometimes" if outside else "Always"
    match test.quantifier:
        case Quantifier.EXISTS:
            good, bad, holds = inside, outside, bool(inside)
        case Quantifier.NOT_EXISTS:
            good, bad, holds = outside, inside, not inside
        case Quantifier.FORALL:
            good, bad, holds = inside, outside, not outside
        case _:
            assert_never(test.quantifier)
    return Outcomes(test, task.model.name, dict(states), holds, observation, _total(good), _total(bad))


def _total(states: Mapping[State, int | None]) -> int | None:
    counts = list(states.values())
    return None if None in counts else sum(count for count in counts if count is not None)
