"""Walks through the candidate executions of a litmus test, each judged by the relation algebra.

The explicit engine proposes candidates; whether one is consistent is decided here by `models.evaluate`, which
shares nothing with that engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from treville.engines.task import outcome_task
from treville.enumeration.candidates import Engine
from treville.enumeration.concrete import to_execution
from treville.events.execution import Execution
from treville.events.trace import Effort
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.programs.litmus.states import FinalValue
from treville.programs.litmus.test import LitmusTest
from treville.records import dataclass
from treville.results import Budget, TooLarge
from treville.results.defaults import BOUND

# Traces and selections are so much cheaper than candidates.
_LISTED_WHILE_ONE_IS_JUDGED = 30

WHICH = ("all", "allowed", "forbidden")


@dataclass(slots=True)
class Judged:
    """An execution and what the model says about it; `evaluation` has the value of every relation."""

    execution: Execution
    evaluation: Evaluation

    @property
    def consistent(self) -> bool:
        """Does the model allow it?"""
        return not self.evaluation.violated


def executions(
    test: LitmusTest,
    model: Model,
    which: str = "allowed",
    bound: int = BOUND,
    budget: Budget | None = None,
    limit: int | None = None,
    coherent: bool = False,
    ending: Callable[[tuple[FinalValue, ...]], bool] | None = None,
) -> Iterator[Judged]:
    """The candidate executions of a test: `all`, or only those that the model allows or forbids; `coherent`:
    without those that SC for each location forbids, where the model implies that; `ending`: only those whose
    final state is one of these. Raises `TooLarge` when more than `limit` would have to be judged."""
    test = outcome_task(test, model, bound).test
    effort = Effort(None if limit is None else _LISTED_WHILE_ONE_IS_JUDGED * limit)
    engine = Engine(test, model, bound, budget or Budget(), effort, which != "allowed" and not coherent)
    number = 0
    for candidate in engine.all_candidates():
        effort.spend()
        if ending is not None and not ending(tuple(map(candidate.final, test.observed))):
            continue
        number += 1
        if limit is not None and number > limit:
            raise TooLarge("too many candidate executions to judge", "use --engine eager")
        execution = to_execution(test, candidate)
        judged = Judged(
            execution, evaluate(model, len(execution.events), execution.sets, execution.relations)
        )
        if which == "all" or judged.consistent == (which == "allowed"):
            yield judged
