"""Execution graphs: as many as the enumerator lists, each once."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
from tests.random_views import RandomTest
from tests.seeds import conclusive

from treville.machines.graphs.event import Event
from treville.machines.graphs.explore import Explorer
from treville.machines.graphs.graph import Graph
from treville.machines.graphs.of_program import explorer_for
from treville.machines.graphs.relations import Base
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.model import Model
from treville.passes.program import Context, lower
from treville.programs import ir
from treville.questions.outcomes import outcomes
from treville.results import Budget

MODELS = ("sc", "tso", "pso", "rc11")
FULL = ir.Fence(frozenset({"MFENCE"}))


class Counted(NamedTuple):
    """How many graphs there are, how many were shown twice, and how many the model forbids."""

    complete: int
    twice: int
    forbidden: int


def _identity(graph: Graph) -> object:
    """What makes a graph the one that it is."""

    def name(event: Event | None) -> tuple[int, int] | None:
        return None if event is None else (event.thread, event.index)

    events = sorted((e.thread, e.index, e.value, name(e.source) or (0, 0)) for e in graph.order)
    orders = sorted((place, [name(write) for write in writes]) for place, writes in graph.writes.items())
    return repr((events, orders))


def explored(explorer: Explorer, model: Model) -> Counted:
    """Explore everything, and judge every complete graph."""
    seen: set[object] = set()
    twice = forbidden = 0

    def visit(graph: Graph) -> None:
        nonlocal twice, forbidden
        identity = _identity(graph)
        twice += identity in seen
        seen.add(identity)
        base = Base(graph)
        judged = evaluate(model, base.count, base.sets, base.relations, everything=False)
        forbidden += not judged.consistent

    explorer.visit = visit
    assert explorer.explore() is None
    return Counted(explorer.complete, twice, forbidden)


def whole_program(test: RandomTest, model: Model) -> ir.Program:
    """The program without its assertion; what starts and joins threads is a full fence, as in C."""
    program = test.program(fences=False)
    (main,) = program.threads
    code: list[ir.Instruction] = []
    for instruction in main.instructions[:-1]:
        fenced = isinstance(instruction, ir.Spawn | ir.Join)
        code += [FULL, instruction, FULL] if fenced else [instruction]
    functions = {
        name: replace(thread, instructions=(FULL, *thread.instructions, FULL))
        for name, thread in program.functions.items()
    }
    whole = replace(program, threads=(replace(main, instructions=tuple(code)),), functions=functions)
    return lower(whole, Context(model, None, "C"))


def compare(name: str, seeds: range, size: int) -> int:
    """Compare with the enumerator; how many tests have several executions?"""
    model, several = load_model(name), 0
    for seed in seeds:
        test = RandomTest(seed, ordered=seed % 2 == 0, plain=seed % 4 < 2, size=size)
        listed = outcomes(test.litmus(), model, 2, Budget(), "enumerate").states.values()
        expected = sum(count or 0 for count in listed)
        found = explored(explorer_for(whole_program(test, model), model, frozenset(), reduced=False), model)
        assert found == (expected, 0, 0), seed
        several += expected > 1
    return several


@pytest.mark.parametrize("name", MODELS)
def test_as_many_graphs_as_executions(name: str) -> None:
    assert conclusive(compare(name, range(60), 7) > 30)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("first", range(1_000, 4_000, 500))
def test_as_many_graphs_as_executions_of_many_tests(name: str, first: int) -> None:
    assert compare(name, range(first, first + 500), 8) > 200
