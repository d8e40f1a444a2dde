"""What is encoded of a lazily enforced axiom forbids no consistent execution, also where closures of what may
be cyclic stand inside of what may not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.random_litmus import random_test
from tests.seeds import conclusive, generator

from treville.analysis.facts import Facts, gather_facts
from treville.analysis.values import analyse_values
from treville.encoding.acyclicity import encode_program
from treville.events.symbolic import symbolic_program
from treville.models.cat.resolve import resolve_text
from treville.models.model import Axiom, Model
from treville.results import Budget
from treville.solving.back_ends.clasp import Clasp
from treville.solving.solution import ExecutionReader, IsTrue, evaluate_execution

# Nothing here forbids the cycles of the first ones; an option makes words without a step.
CYCLIC = (
    "rf | fr",
    "rf | po^-1",
    "co | rf^-1",
    "fr | rf; po",
    "po | po^-1",
    "rfe | po",
    "co | fr | rf",
    "loc \\ id",
)
STEPS = ("rf", "co", "fr", "po", "rfe", "po-loc", "[W]; po", "po; [R]", "rf^-1", "rmw")
SHAPES = (
    "({0})+; ({1})", "({1}); ({0})+", "({0})*; ({1})", "({1}); ({0})*; ({2})", "(({0})?; ({1})?)+; ({2})",
    "({0}; ({1})?)+; ({2})", "({2}) | ({0})+; ({1})", "(({0})+ \\ id); ({1})", "(({0})+ & ext); ({1})",
)  # fmt: skip
FREE = "irreflexive co as nothing"  # so that something is encoded


def random_closures(case: int) -> Model:
    """One axiom, or two of which the first forbids the cycles that the second closes."""
    choose = generator(case)
    inner = choose.choice((*CYCLIC, *STEPS))
    others = [choose.choice(STEPS if choose.random() < 0.7 else CYCLIC) for _ in range(2)]
    body = choose.choice(SHAPES).format(inner, *others)
    lines = [FREE, f"let inner = {inner}", f"acyclic {body} as outer"]
    if choose.random() < 0.3:
        lines.append(f"acyclic inner | {choose.choice(STEPS)} as tamed")
    return resolve_text("\n".join(['include "cos.cat"', *lines]) + "\n", f"closures{case}.cat")


def executions(facts: Facts, model: Model, axioms: list[Axiom], weakened: bool) -> dict[object, bool]:
    """The executions that the formula has, and whether each is consistent."""
    asked = model if weakened else replace(model, axioms=tuple(axioms))
    encoding = encode_program(facts, asked, Budget(), axioms)
    reader, found = ExecutionReader(encoding), dict[object, bool]()

    def on_solution(is_true: IsTrue) -> bool:
        execution = reader.execution(is_true)
        events = tuple((event.thread, event.kind, event.address, event.value) for event in execution.events)
        choices = tuple(tuple(execution.relations[name].rows) for name in ("rf", "co"))
        found[events, choices] = evaluate_execution(model, execution).consistent
        return True

    Clasp(encoding.formula).enumerate(Budget(), on_solution)
    return found


@pytest.mark.parametrize("first", range(0, 150, 50))
def test_closures_of_cyclic_relations_lose_no_consistent_execution(first: int) -> None:
    forbidden = kept = 0
    for case in range(first, first + 50):
        model = random_closures(case)
        symbolic = symbolic_program(random_test(case, (), size=4).program, 1)
        facts = gather_facts(symbolic, analyse_values(symbolic, False), False, set())
        free = [axiom for axiom in model.axioms if axiom.name == "nothing"]
        possible = executions(facts, model, free, weakened=False)
        left = executions(facts, model, free, weakened=True)
        consistent = {execution for execution, is_consistent in possible.items() if is_consistent}
        assert consistent <= left.keys() <= possible.keys(), (case, model.title)
        forbidden, kept = forbidden + len(possible) - len(left), kept + len(consistent)
    assert conclusive(min(forbidden, kept) > 20)
