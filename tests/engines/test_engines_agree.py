"""Eager, lazy and counting searches against each other and against the oracle, on random tests and models."""

import pytest
from tests.asking import encode_executions, symbolic_outcomes
from tests.random_cases import Models, Programs
from tests.seeds import conclusive

from treville.analysis.facts import Bounds, SetBounds
from treville.analysis.relations import analyse_relations
from treville.encoding.acyclicity import addresses_of
from treville.events.execution import Execution
from treville.models.evaluate import Evaluation
from treville.models.model import Model, Node
from treville.programs.litmus.test import LitmusTest
from treville.relations import EventId, Relation, elements, mask_of
from treville.results import Budget
from treville.solving.back_ends.clasp import Clasp
from treville.solving.observed_states import Observation, State
from treville.solving.solution import ExecutionReader, IsTrue, evaluate_execution

BOUND = 1


def all_executions(test: LitmusTest, model: Model) -> list[tuple[State, Execution, Evaluation]]:
    """Every execution of the program, consistent or not, with the model's opinion."""
    encoding = encode_executions(test.program, model, BOUND, Budget(), False, addresses_of(test.observed), [])
    reader, observation = ExecutionReader(encoding), Observation(encoding, test)
    found = []

    def on_solution(is_true: IsTrue) -> bool:
        execution = reader.execution(is_true)
        found.append((observation.state(is_true), execution, evaluate_execution(model, execution)))
        return True

    Clasp(encoding.formula).enumerate(Budget(), on_solution)
    return found


def consistent_states(found: list[tuple[State, Execution, Evaluation]]) -> tuple[dict[State, int], set[str]]:
    states: dict[State, int] = {}
    flags: set[str] = set()
    for state, _, evaluation in found:
        if evaluation.consistent:
            states[state] = states.get(state, 0) + 1
            flags.update(evaluation.flags)
    return states, flags


@pytest.mark.parametrize("seed", range(60))
def test_eager_and_lazy_engines_give_what_the_evaluator_says(seed: int) -> None:
    test, model = Programs(seed).test(), Models(seed + 1000).draw()
    states, flags = consistent_states(all_executions(test, model))
    eager = symbolic_outcomes(test, model, BOUND, Budget())
    assert (set(eager.states), eager.flags) == (set(states), flags)
    lazy = symbolic_outcomes(test, model, BOUND, Budget(), lazy=True)
    assert (set(lazy.states), lazy.flags) == (set(states), flags)
    counted = symbolic_outcomes(test, model, BOUND, Budget(), count=True)
    assert counted.states == states


def as_static(relation: Relation, numbers: list[EventId], n: int) -> Relation:
    return Relation.of(n, ((numbers[a], numbers[b]) for a, b in relation.pairs()))


def executions_outside_the_bounds(test: LitmusTest, model: Model) -> tuple[int, list[tuple[int, Node]]]:
    """How many executions there are, and the nodes whose values leave the bounds in some of them."""
    observed = addresses_of(test.observed)
    encoding = encode_executions(test.program, model, BOUND, Budget(), False, observed, [])
    bounds = analyse_relations(model, encoding.facts)
    needed = model.needed()
    reader = ExecutionReader(encoding)
    counted = 0
    outside: list[tuple[int, Node]] = []

    def on_solution(is_true: IsTrue) -> bool:
        nonlocal counted
        counted += 1
        numbers = reader.executed(is_true)
        executed = sum(1 << number for number in numbers)
        for index, value in enumerate(evaluate_execution(model, reader.execution(is_true)).values):
            bound = bounds[index]
            if index in needed and isinstance(bound, Bounds) and isinstance(value, Relation):
                actual = as_static(value, numbers, encoding.facts.n)
                if not bound.must.restrict(executed, executed) <= actual <= bound.may:
                    outside.append((index, model.nodes[index]))
            elif index in needed and isinstance(bound, SetBounds) and isinstance(value, int):
                members = mask_of(numbers[event] for event in elements(value))
                if members & ~bound.may or bound.must & executed & ~members:
                    outside.append((index, model.nodes[index]))
        return True

    Clasp(encoding.formula).enumerate(Budget(), on_solution)
    return counted, outside


def test_every_execution_lies_between_the_bounds_of_the_analysis() -> None:
    cases = [(Programs(seed).test(), Models(seed + 2000).draw()) for seed in range(500, 530)]
    results = [executions_outside_the_bounds(test, model) for test, model in cases]
    assert [found for _, outside in results for found in outside] == []
    assert conclusive(sum(counted > 0 for counted, _ in results) > 20)
