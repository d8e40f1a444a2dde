"""`treville litmus`: which final states can a litmus test reach under a model? (paper 004, chapter 2)

    test -> passes -> task -> engines, as the schedule has them -> the condition, judged on the states

`outcomes` is herd7's answer, for runs within a bound of loops; `outcomes_of_all_runs` is for all of them.
Small tests go to the explicit engine, which also counts executions as herd7 does; what is too large for it
goes to the symbolic one, which enumerates final states only.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import assert_never

from treville.analysis.alias_names import FLOW, Alias
from treville.engines.contract import GaveUp, State, States
from treville.engines.registry import AUTO, OUTCOMES
from treville.engines.schedule import DEEPER_SLICES, OUTCOME_SLICES, Slice, run
from treville.engines.task import OutcomeTask, outcome_task
from treville.models.model import Model
from treville.models.races import defines_races, races_of
from treville.programs.litmus.states import state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.records import dataclass, field
from treville.results import Budget, BudgetExceeded
from treville.results.defaults import BOUND

# Observations: how often the condition holds.
NEVER, SOMETIMES, ALWAYS, UNKNOWN = "Never", "Sometimes", "Always", "Unknown"
# How far loops that were cut are unrolled by themselves.
DEEPEST = 16


@dataclass(slots=True)
class Outcomes:
    """The answer for one test and one model.

    `states` maps each reachable final state (values in the order of `test.observed`) to the number of
    consistent executions that end in it, or to None where the engine does not count. `positive` and
    `negative` count executions as herd7 does. `condition_holds` is what the states say of the condition, None
    where runs that were cut may still decide it; `holds` is None as well where the behaviour is `undefined`
    (a data race in C). `observation` is Never, Sometimes, Always or Unknown. Not `complete`: not all states
    are listed; observation, verdict and flags hold for all of them unless some runs are `unfinished`:
    those were cut at the `bound`, and might have ended otherwise.
    """

    test: LitmusTest
    model: str
    states: dict[State, int | None]
    condition_holds: bool | None
    observation: str
    positive: int | None
    negative: int | None
    flags: list[str] = field(default_factory=list)
    bound_reached: bool = False
    complete: bool = True
    engine: str = ""
    seconds: float = 0.0
    undefined: bool = False
    unfinished: bool = False
    bound: int = BOUND

    @property
    def holds(self) -> bool | None:
        """Does the condition hold? None where that is not known, or the behaviour undefined."""
        return None if self.undefined else self.condition_holds


def outcomes(
    test: LitmusTest,
    model: Model,
    bound: int = BOUND,
    budget: Budget | None = None,
    engine: str = AUTO,
    alias: Alias = FLOW,
) -> Outcomes:
    """Every final state of the test under the model that runs within the bound end in, which is herd7's
    answer; raises `BudgetExceeded` when the budget ends first."""
    started = time.monotonic()
    task = outcome_task(test, model, bound, budget, alias)
    slices = OUTCOME_SLICES if engine == AUTO else (Slice(engine),)
    scheduled = run(task, slices, OUTCOMES, refusals_end=True)
    found = scheduled.answer
    if isinstance(found, GaveUp):
        raise found.error or BudgetExceeded(found.reason, found.advice)
    answer = _told(task, found, scheduled.engine)
    answer.seconds = time.monotonic() - started
    return answer


def outcomes_of_all_runs(
    test: LitmusTest,
    model: Model,
    bound: int | None = None,
    budget: Budget | None = None,
    engine: str = AUTO,
    alias: Alias = FLOW,
) -> Outcomes:
    """As above, where a loop that was cut decides nothing: without a `bound` it grows while runs are cut that
    might end otherwise, and where it ends before they do, only what was seen counts."""
    started = time.monotonic()
    budget = budget or Budget()
    found = outcomes(test, model, bound or BOUND, budget, engine, alias)
    while bound is None and found.unfinished and not _is_settled(found, model) and found.bound < DEEPEST:
        deeper = _deeper(test, model, 2 * found.bound, budget, engine, alias)
        if deeper is None:
            break
        found = deeper
    if found.unfinished:
        _count_what_was_seen(found)
    found.seconds = time.monotonic() - started
    return found


def _is_settled(found: Outcomes, model: Model) -> bool:
    """Can more runs tell nothing that matters?"""
    races = {axiom.name for axiom in races_of(model)} if defines_races(model) else set()
    return found.observation == SOMETIMES and (not races or not races.isdisjoint(found.flags))


def _deeper(
    test: LitmusTest, model: Model, bound: int, budget: Budget, engine: str, alias: Alias
) -> Outcomes | None:
    """The answer at a larger bound, if that takes little work."""
    task = outcome_task(test, model, bound, budget, alias)
    slices = DEEPER_SLICES if engine == AUTO else (Slice(engine, DEEPER_SLICES[-1].units),)
    for each in slices:
        found = OUTCOMES[each.engine]().run(task, each.units)
        if not isinstance(found, GaveUp):
            return _told(task, found, each.engine)
    return None


def _count_what_was_seen(found: Outcomes) -> None:
    """One finite execution shows that the condition can hold, and one that it can fail; nothing else is
    known where others are unfinished."""
    test = found.test
    inside = any(state_satisfies(test, state) for state in found.states)
    outside = any(not state_satisfies(test, state) for state in found.states)
    found.complete = False
    found.observation = SOMETIMES if inside and outside else UNKNOWN
    match test.quantifier:
        case Quantifier.EXISTS:
            found.condition_holds = True if inside else None
        case Quantifier.NOT_EXISTS:
            found.condition_holds = False if inside else None
        case Quantifier.FORALL:
            found.condition_holds = False if outside else None
        case _:
            assert_never(test.quantifier)


def _told(task: OutcomeTask, found: States, engine: str) -> Outcomes:
    answer = _conclude(task, found.counts)
    answer.flags = sorted(found.flags)
    answer.bound_reached, answer.unfinished, answer.bound = found.cut, found.unfinished, task.bound
    answer.complete = found.complete
    answer.engine = engine
    undefined = {axiom.name for axiom in task.model.axioms if axiom.undefined}
    answer.undefined = not undefined.isdisjoint(found.flags)
    return answer


def _conclude(task: OutcomeTask, states: Mapping[State, int | None]) -> Outcomes:
    """Judge the condition on the states. The observation says how often the proposition holds; under
    `~exists` an execution counts as positive if the proposition does not hold, as herd7 counts."""
    test = task.test
    inside = {state: count for state, count in states.items() if state_satisfies(test, state)}
    outside = {state: count for state, count in states.items() if state not in inside}
    observation = NEVER if not inside else SOMETIMES if outside else ALWAYS
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
