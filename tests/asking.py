"""One engine, one program, one question: what tests ask of single engines, without the schedule."""

from __future__ import annotations

from dataclasses import dataclass, field

from treville.analysis.aliases import FLOW
from treville.engines.contract import Decision, GaveUp, Refuted, States
from treville.engines.registry import DECIDE, OUTCOMES
from treville.engines.schedule import ALL_STATES
from treville.engines.task import outcome_task, ready_task
from treville.events.execution import Execution
from treville.models.model import Model
from treville.programs.ir import Instruction, Program
from treville.programs.litmus.test import LitmusTest
from treville.results import Budget, BudgetExceeded
from treville.results.properties import Property


@dataclass
class Answer:
    """A decision, spread out."""

    decision: Decision
    failed: list[Instruction] = field(default_factory=list)
    message: str = ""
    execution: Execution | None = None
    complete: bool = True
    cut: list[Instruction] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """PASS, FAIL or UNKNOWN."""
        if self.execution is not None:
            return "FAIL"
        return "PASS" if self.complete else "UNKNOWN"


def answer_of(decision: Decision) -> Answer:
    """The parts of a decision that tests look at."""
    if isinstance(decision, Refuted):
        found = decision.evidence
        return Answer(decision, list(found.failed), found.message, decision.execution)
    if isinstance(decision, GaveUp):
        return Answer(decision, complete=False, cut=list(decision.cut))
    return Answer(decision)


def by_engine(
    engine: str,
    program: Program,
    model: Model,
    bound: int | None = 2,
    goal: Property | str = Property.ASSERTION,
    alias: str = FLOW,
    budget: Budget | None = None,
) -> Answer:
    """The answer of one engine for a program that is compiled already; raises what the engine raised."""
    task = ready_task(program, model, Property(goal), bound, budget or Budget(60), alias)
    decision = DECIDE[engine]().run(task)
    if isinstance(decision, GaveUp) and decision.error is not None:
        raise decision.error
    return answer_of(decision)


def by_formulas(
    program: Program,
    model: Model,
    bound: int = 2,
    goal: Property | str = Property.ASSERTION,
    engine: str = "formulas",
    alias: str = FLOW,
) -> Answer:
    """The answer of the solver at one bound."""
    return by_engine(engine, program, model, bound, goal, alias)


def by_states(
    program: Program, model: Model, goal: Property | str = Property.ASSERTION, limit: int | None = None
) -> Answer | None:
    """The answer of the machines that suit; None if none does or they cannot go on. With a `limit`, that of
    the first so many states."""
    task = ready_task(program, model, Property(goal), None, Budget(60))
    slices = ALL_STATES if limit is None else tuple(each._replace(units=limit) for each in ALL_STATES)
    for each in slices:
        engine = DECIDE[each.engine]()
        if engine.suits(task):
            decision = engine.run(task, each.units)
            if not isinstance(decision, GaveUp) or decision.more:
                return answer_of(decision)
    return None


def states_by(
    engine: str, test: LitmusTest, model: Model, bound: int = 2, budget: Budget | None = None
) -> States:
    """The outcomes that one engine lists; raises what the engine raised."""
    answer = OUTCOMES[engine]().run(outcome_task(test, model, bound, budget))
    if isinstance(answer, GaveUp):
        raise answer.error or BudgetExceeded(answer.reason, answer.advice)
    return answer
