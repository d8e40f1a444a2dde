"""Portability by definition (paper 004, definitions 11 and 12): all executions of both models, listed by the
brute-force oracle and judged by the relation algebra; and a random question for every seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tests.brute_force import Oracle
from tests.random_litmus import random_test
from tests.random_models import random_model
from tests.seeds import generator

from treville.engines.differences.deadness import deadness
from treville.events.execution import Execution
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs.litmus.test import LitmusTest
from treville.questions.portability import Question, portability
from treville.results import Budget, Verdict

SHIPPED = ("sc", "tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv")
# (engine, solver)
WAYS = (
    ("enumerate", "clasp"), ("eager", "clasp"), ("lazy", "clasp"), ("auto", "clasp"),
    ("eager", "certificates"), ("eager", "sat"), ("eager", "z3"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """Whether nothing is new: no execution, no state, no syntactically dead execution."""

    trace: bool
    state: bool
    dead: bool


def expected(test: LitmusTest, source: Model, target: Model, budget: Budget) -> Expected:
    """What portability from source to target is."""
    allowed = list(Oracle(test, target, budget=budget).executions())
    new = [execution for execution in allowed if not _holds(source, execution)]
    reachable = {execution.final for execution in Oracle(test, source, budget=budget).executions()}
    states = {execution.final for execution in allowed}
    return Expected(not new, states <= reachable, not any(_holds(deadness(), one) for one in new))


def _holds(model: Model, execution: Execution) -> bool:
    return evaluate(model, len(execution.events), execution.sets, execution.relations).consistent


# -- random questions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """A random test and a random pair of models, shipped or random ones, with the answer."""

    test: LitmusTest
    source: Model
    target: Model
    expected: Expected

    def disagreements(self, ways: tuple[tuple[str, str], ...] = WAYS) -> Iterator[str]:
        """What the engines answer wrongly."""
        answers = (("trace", False), ("state", False), ("trace", True))
        right = (self.expected.trace, self.expected.state, self.expected.dead)
        for engine, solver in ways:
            for (notion, dead), passes in zip(answers, right, strict=True):
                question = Question(self.source, self.target, notion, engine=engine, dead=dead, solver=solver)
                found = portability(self.test, question, Budget(60)).verdict
                if (found is Verdict.PASS) != passes:
                    pair = f"{self.source.name}-{self.target.name}"
                    yield f"{pair} {notion}{' dead' if dead else ''} with {engine} {solver}: {found.value}"


def random_case(seed: int, size: int) -> Case:
    """The case of a seed, with about `size` accesses."""
    pick = generator(seed)
    test = random_test(seed, ("MFENCE",), size=size)
    source, target = _model(pick), _model(pick)
    return Case(test, source, target, expected(test, source, target, Budget(60)))


def _model(pick: random.Random) -> Model:
    return load_model(pick.choice(SHIPPED)) if pick.random() < 0.5 else random_model(pick.randrange(1000))
