"""`treville litmus`: which final states can a litmus test reach under a model? (paper 004, chapter 2)

Small tests go to the explicit engine, which also counts executions as herd7 does; what is too large for it
goes to the symbolic one, which enumerates final states only.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from treville.analysis.aliases import FLOW
from treville.models.model import Model
from treville.programs.litmus.states import FinalValue, state_satisfies
from treville.programs.litmus.test import LitmusTest
from treville.questions.fences import seen_by
from treville.results import Budget, TooLarge

State: TypeAlias = tuple[FinalValue, ...]
ENGINES = ("auto", "enumerate", "eager", "lazy", "clocks", "conflicts")
DEFAULT_BOUND = 2
# Beyond this many traces, selections and candidates the symbolic engine is faster (bench/litmus.py).
MAX_EFFORT = 1_500


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
    bound: int = DEFAULT_BOUND,
    budget: Budget | None = None,
    engine: str = "auto",
    alias: str = FLOW,
) -> Outcomes:
    """Every final state of the test under the model; raises `BudgetExceeded` when the budget ends first."""
    started = time.monotonic()
    budget = budget or Budget()
    test = seen_by(model, test)
    states, flags, bound_reached, complete, used = _run(test, model, bound, budget, engine, alias)
    undefined = {axiom.name for axiom in model.axioms if axiom.undefined}
    answer = _conclude(test, model, states)
    answer.flags = sorted(flags)
    answer.bound_reached = bound_reached
    answer.complete = complete
    answer.engine = used
    if undefined & flags:
        answer.holds = None
    answer.seconds = time.monotonic() - started
    return answer


def _run(
    test: LitmusTest, model: Model, bound: int, budget: Budget, engine: str, alias: str
) -> tuple[Mapping[State, int | None], set[str], bool, bool, str]:
    if engine in ("auto", "enumerate"):
        from treville.solving.enumeration.engine import enumerate_outcomes

        limit = MAX_EFFORT if engine == "auto" else None
        try:
            found = enumerate_outcomes(test, model, bound, budget, limit)
            return found.states, found.flags, found.bound_reached, True, "enumerate"
        except TooLarge:
            if engine != "auto":
                raise
    encoding, _, solver = engine.partition(":")  # "clocks", "clocks:z3", "acyclicity:sat"
    if solver or encoding in ("clocks", "conflicts"):
        from treville.solving.siblings import states

        listed = states(test, model, bound, budget, encoding, solver or "clasp")
        return dict.fromkeys(listed.states), set(), listed.bound_reached, True, engine
    from treville.solving.outcomes import symbolic_outcomes

    lazy = engine == "lazy"
    answer = symbolic_outcomes(test, model, bound, budget, lazy=lazy, alias=alias)
    return answer.states, answer.flags, answer.bound_reached, answer.complete, "lazy" if lazy else "eager"


def _conclude(test: LitmusTest, model: Model, states: Mapping[State, int | None]) -> Outcomes:
    """Judge the condition on the states. The observation says how often the proposition holds; under
    `~exists` an execution counts as positive if the proposition does not hold, as herd7 counts."""
    inside = {state: count for state, count in states.items() if state_satisfies(test, state)}
    outside = {state: count for state, count in states.items() if state not in inside}
    observation = "Never" if not inside else "Sometimes" if outside else "Always"
    good, bad = (outside, inside) if test.quantifier == "~exists" else (inside, outside)
    holds = bool(good) if test.quantifier == "exists" else not bad
    return Outcomes(test, model.name, dict(states), holds, observation, _total(good), _total(bad))


def _total(states: Mapping[State, int | None]) -> int | None:
    counts = list(states.values())
    return None if None in counts else sum(count for count in counts if count is not None)
