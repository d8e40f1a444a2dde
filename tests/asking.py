"""One engine, one program, one question: what tests ask of single engines, without the schedule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from treville.analysis.alias_names import FLOW, Alias
from treville.encoding.acyclicity import Encoding, encode_test
from treville.engines.contract import Decision, Engine, GaveUp, Refuted, States
from treville.engines.outcomes.symbolic import Symbolic
from treville.engines.registry import DECIDE, OUTCOMES, engine_name
from treville.engines.schedule import ALL_STATES
from treville.engines.task import OutcomeTask, outcome_task, ready_task
from treville.events.execution import Execution
from treville.models.model import Axiom, Model
from treville.passes.bounded import facts_of_test
from treville.programs.ir import Instruction, Program
from treville.programs.litmus.test import LitmusTest
from treville.results import Budget, BudgetExceeded
from treville.results.properties import Property


@dataclass
class Reachability:
    """A decision, spread out."""

    decision: Decision
    failed: list[Instruction] = field(default_factory=list)
    message: str = ""
    waiting: list[int] = field(default_factory=list)
    execution: Execution | None = None
    complete: bool = True
    cut: list[Instruction] = field(default_factory=list)
    thread_names: list[str] = field(default_factory=list)

    @property
    def stats(self) -> dict[str, Any]:
        """What the engine counted."""
        return dict(self.decision.stats)


def spread(decision: Decision) -> Reachability:
    """The parts of a decision that tests look at; raises what the engine raised."""
    if isinstance(decision, Refuted):
        found = decision.evidence
        return Reachability(
            decision, list(found.failed), found.message, list(found.waiting), decision.execution,
            thread_names=list(found.thread_names),
        )  # fmt: skip
    if isinstance(decision, GaveUp):
        if decision.error is not None:
            raise decision.error
        return Reachability(decision, complete=False, cut=list(decision.cut))
    return Reachability(decision)


def by_engine(
    engine: str,
    program: Program,
    model: Model,
    bound: int | None = 2,
    goal: Property | str = Property.SAFETY,
    alias: Alias = FLOW,
    budget: Budget | None = None,
    work: int | None = None,
) -> Reachability:
    """The answer of one engine for a program that is compiled already."""
    task = ready_task(program, model, Property(goal), bound, budget or Budget(60), alias)
    return spread(DECIDE[engine]().run(task, work))


def reach_failure(
    program: Program,
    model: Model,
    bound: int,
    budget: Budget,
    lazy: bool | None = None,
    goal: Property | str = Property.SAFETY,
    alias: Alias = FLOW,
) -> Reachability:
    """The answer of the default encoding: eager, lazy, or as suits."""
    engine = {None: "formulas", True: "lazy", False: "eager"}[lazy]
    return by_engine(engine, program, model, bound, goal, alias, budget)


def reach(
    program: Program, model: Model, bound: int, budget: Budget, encoding: str = "acyclicity",
    solver: str = "clasp",
) -> Reachability:  # fmt: skip
    """The answer of an encoding and a solver."""
    return by_engine(engine_name(encoding, solver), program, model, bound, budget=budget)


def reach_by_states(
    program: Program,
    model: Model,
    budget: Budget,
    limit: int | None = None,
    goal: Property | str = Property.SAFETY,
) -> Reachability | None:
    """The answer of the machines that suit; None if none does or they cannot go on. With a `limit`, that of
    the first so many states."""
    task = ready_task(program, model, Property(goal), None, budget)
    for each in ALL_STATES:
        engine = DECIDE[each.engine]()
        if engine.suits(task):
            units = limit if each.units is None or limit is None else min(limit, each.units)
            decision = engine.run(task, units or each.units)
            if not isinstance(decision, GaveUp) or (decision.more and each.units is None):
                return spread(decision)
    return None


def _listed(engine: Engine[OutcomeTask, States], task: OutcomeTask) -> States:
    answer = engine.run(task)
    if isinstance(answer, GaveUp):
        raise answer.error or BudgetExceeded(answer.reason, answer.advice)
    return answer


@dataclass(frozen=True)
class Listed:
    """What an engine lists."""

    states: dict[Any, int | None]
    flags: set[str]
    bound_reached: bool
    complete: bool


def symbolic_outcomes(
    test: LitmusTest, model: Model, bound: int, budget: Budget, count: bool = False, lazy: bool = False
) -> Listed:
    """The outcomes by the default encoding."""
    found = _listed(Symbolic(lazy=lazy, count=count), outcome_task(test, model, bound, budget))
    return Listed(dict(found.counts), set(found.flags), found.cut, found.complete)


def states(
    test: LitmusTest, model: Model, bound: int, budget: Budget, encoding: str = "acyclicity",
    solver: str = "clasp",
) -> set[Any]:  # fmt: skip
    """The states that an encoding and a solver list."""
    task = outcome_task(test, model, bound, budget)
    return set(_listed(OUTCOMES[engine_name(encoding, solver)](), task).counts)


def encode_executions(
    program: Program, model: Model, bound: int, budget: Budget, coherent: bool, observed: set[int],
    axioms: Iterable[Axiom] | None = None,
) -> Encoding:  # fmt: skip
    """The default encoding of a litmus test."""
    return encode_test(facts_of_test(program, bound, budget, coherent, observed), model, budget, axioms)
