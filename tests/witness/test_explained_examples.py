"""On forbidden executions of the examples: each edge of the evidence is there, and the path is closed."""

from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path

import pytest

from treville.events.execution import Execution
from treville.models.evaluate import evaluate, holds
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs.litmus import parse
from treville.relations import Relation
from treville.witness.explanation import Explanation, explain
from treville.witness.scene import find_relation
from treville.witness.words import explanation_text

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples" / "litmus").glob("*.litmus"))
MODELS = ("sc", "tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv")


def _relation(name: str, execution: Execution, model: Model, values: list[int | Relation]) -> Relation | None:
    if name.endswith("^-1"):
        found = _relation(name.removesuffix("^-1"), execution, model, values)
        return None if found is None else found.inverse()
    return find_relation(execution, name, model, values)


def _check(
    explanation: Explanation, execution: Execution, model: Model, values: list[int | Relation]
) -> None:
    assert explanation.hops()
    for path in explanation.paths:
        for before, after in pairwise(path):
            assert before.target == after.source
        if explanation.cyclic:
            assert path[-1].target == path[0].source
        for hop in path:
            relation = _relation(hop.label, execution, model, values)
            assert relation is not None, hop
            assert (hop.source, hop.target) in relation, hop
            assert all((hop.source, fence) in execution.relations["po"] for fence in hop.through)


@pytest.mark.parametrize("name", MODELS)
def test_evidence_is_real(name: str) -> None:
    from treville.questions.executions import executions

    model = load_model(name)
    explained = 0
    for path in EXAMPLES:
        test = parse(path.read_text(), path.name)
        for judged in islice(executions(test, model, "forbidden"), 12):
            execution, values = judged.execution, judged.evaluation.values
            for axiom in judged.evaluation.violated:
                assert not holds(axiom, values[axiom.node])
                explanation = explain(execution, model, values, axiom)
                _check(explanation, execution, model, values)
                assert axiom.name in explanation_text(explanation, execution, test.program, model)
                explained += 1
    assert explained > 50


def test_a_judgement_without_the_engine_is_the_same() -> None:
    """The evaluator alone, on the base relations of an execution, finds the same violations."""
    from treville.questions.executions import executions

    model = load_model("power")
    test = parse(EXAMPLES[0].read_text(), EXAMPLES[0].name)
    for judged in executions(test, model, "all"):
        execution = judged.execution
        again = evaluate(model, len(execution.events), execution.sets, execution.relations)
        assert [a.name for a in again.violated] == [a.name for a in judged.evaluation.violated]
