"""Axioms that are encoded in part and enforced lazily allow exactly the consistent executions, also where
rows are shared and from-read goes through its source, which small programs have no need of."""

from collections.abc import Sequence

import pytest
from tests.random_litmus import random_test
from tests.seeds import conclusive

from treville.analysis.facts import Facts, gather_facts
from treville.analysis.values import analyse_values
from treville.encoding import automaton
from treville.encoding import base_relations as memory
from treville.encoding import edges as graph
from treville.encoding.acyclicity import encode_program
from treville.encoding.simplicity import eager_axioms
from treville.events.symbolic import symbolic_program
from treville.models.implied import implies_coherence
from treville.models.library import load_model
from treville.models.model import Axiom, Model
from treville.results import Budget
from treville.solving.back_ends.clasp import Clasp
from treville.solving.lazy.propagator import LazyModel
from treville.solving.solution import ExecutionReader, IsTrue, evaluate_execution

FENCES = {
    "tso": ("MFENCE",),
    "power": ("SYNC", "LWSYNC", "ISYNC"),
    "armv7": ("DMB", "ISB"),
    "aarch64": ("DMB.SY", "DMB.LD", "ISB"),
    "rc11": (),
}


def facts_of(seed: int, name: str, coherent: bool) -> Facts:
    symbolic = symbolic_program(random_test(seed, FENCES[name], size=5).program, 1)
    return gather_facts(symbolic, analyse_values(symbolic, coherent), coherent, set())


def executions(facts: Facts, model: Model, axioms: Sequence[Axiom], judged: bool) -> dict[object, bool]:
    """All executions that the axioms leave, and whether each is consistent; with `judged` the model is
    enforced as well."""
    encoding = encode_program(facts, model, Budget(), list(axioms))
    reader = ExecutionReader(encoding)
    solver = Clasp(encoding.formula)
    if judged:
        solver.register(LazyModel(encoding, model))
    found: dict[object, bool] = {}

    def on_solution(is_true: IsTrue) -> bool:
        execution = reader.execution(is_true)
        events = tuple((event.thread, event.kind, event.address, event.value) for event in execution.events)
        choices = tuple(tuple(execution.relations[name].rows) for name in ("rf", "co"))
        found[events, choices] = evaluate_execution(model, execution).consistent
        return True

    solver.enumerate(Budget(), on_solution)
    return found


@pytest.mark.parametrize("name", FENCES)
def test_weakened_and_whole_axioms_allow_the_consistent_executions(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load_model(name)
    rejected = 0
    for seed in range(6):
        possible = executions(facts_of(seed, name, False), model, [], judged=False)
        expected = {execution: True for execution, consistent in possible.items() if consistent}
        rejected += len(possible) - len(expected)
        for always in (False, True):
            if always:
                monkeypatch.setattr(graph, "_WORTH", 0)
                monkeypatch.setattr(automaton, "_WORTH_READING_APART", 0)
                monkeypatch.setattr(memory, "_WORTH_A_CHAIN", 1)
            facts = facts_of(seed, name, implies_coherence(model))
            assert executions(facts, model, eager_axioms(model), judged=True) == expected
            assert executions(facts, model, model.axioms, judged=False) == expected
        monkeypatch.undo()
    assert conclusive(rejected > 20)
