"""Sessions: many questions to one encoding, each under its own assumptions."""

from __future__ import annotations

import pytest
from tests.engines.features_cases import store_buffering

from treville.engines.decide.acyclicity import Acyclicity
from treville.engines.task import ready_task
from treville.models.evaluate import evaluate
from treville.models.implied import implies_coherence
from treville.models.library import load_model
from treville.passes.bounded import facts_of_program
from treville.results import Budget, OutOfWork


@pytest.mark.parametrize("engine", ["eager", "lazy"])
@pytest.mark.parametrize("model", ["sc", "tso", "power"])
def test_each_question_has_its_own_assumptions(engine: str, model: str) -> None:
    task = ready_task(store_buffering(True), load_model(model))
    facts = facts_of_program(task.program, 1, task.budget, implies_coherence(task.model))
    session = Acyclicity(engine).session(task, facts, task.budget)
    fails = session.encoding.formula.either([literal for literal, _ in session.encoding.failures])
    reads = [e.number for e in facts.symbolic.events if e.kind == "R" and e.thread > 0]
    initial = [
        session.encoding.memory.reads_from(write, read) for read in reads for write in facts.initial_writes
    ]
    zeros = [literal for literal in initial if abs(literal) != 1]
    weak = model != "sc"
    for _ in range(2):  # what was learnt for one question is no part of the next
        assert session.exists([fails], Budget()) == weak
        assert session.exists([], Budget())
        assert session.exists([-fails], Budget())
        found = session.ask([fails] if weak else [-fails], Budget())
        assert found is not None
        assert evaluate(task.model, len(found.events), found.sets, found.relations).consistent
        assert session.exists(zeros, Budget()) == weak


def test_a_session_keeps_to_its_work() -> None:
    task = ready_task(store_buffering(False), load_model("power"))
    facts = facts_of_program(task.program, 1, task.budget, implies_coherence(task.model))
    session = Acyclicity("eager").session(task, facts, task.budget)
    with pytest.raises(OutOfWork):
        session.exists([], Budget().slice(0))
