"""Walks through the candidate executions of a litmus test, each judged by the relation algebra.

The explicit engine proposes candidates; whether one is consistent is decided here by `models.evaluate`, which
shares nothing with that engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treville.engines.task import outcome_task
from treville.events.execution import Execution
from treville.events.trace import Effort
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import DEFAULT_BOUND
from treville.results import Budget
from treville.solving.enumeration.concrete import to_execution
from treville.solving.enumeration.engine import Engine

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
    bound: int = DEFAULT_BOUND,
    budget: Budget | None = None,
    limit: int | None = None,
) -> Iterator[Judged]:
    """The candidate executions of a test: `all`, or only those that the model allows or forbids. Raises
    `TooLarge` when more than `limit` traces, selections and candidates would have to be listed."""
    test = outcome_task(test, model, bound).test
    engine = Engine(test, model, bound, budget or Budget(), Effort(limit), which != "allowed")
    for candidate in engine.all_candidates():
        execution = to_execution(test, candidate)
        judged = Judged(
            execution, evaluate(model, len(execution.events), execution.sets, execution.relations)
        )
        if which == "all" or judged.consistent == (which == "allowed"):
            yield judged
