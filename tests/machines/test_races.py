"""Data races: the solver agrees with vector clocks under SC, and with all listed executions elsewhere."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from tests.asking import reach_by_states, reach_failure
from tests.random_races import PLAIN, as_program, races_under_sc, random_races
from tests.random_waiting import random_waiting

from treville.models.cat.resolve import resolve_text
from treville.models.library import load_model
from treville.models.races import races_in, races_of, with_races
from treville.programs import ir
from treville.programs.compile_to import compile_program, target_of
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Budget
from treville.solving.solution import evaluate_execution


def solved(threads: dict[str, list[ir.Instruction]], name: str, lazy: bool | None = None) -> bool:
    """Does the solver find a race? Its execution is judged again."""
    model = with_races(load_model(name))
    target = target_of(model.shipped, model.base_names())
    program = compile_program(as_program(copy.deepcopy(threads)), target)
    found = reach_failure(program, model, 1, Budget(), lazy, "race")
    assert found.complete
    if found.execution is not None:
        judged = evaluate_execution(model, found.execution)
        assert judged.consistent
        assert races_in(judged)
    return found.execution is not None


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_races_under_sc_are_those_that_vector_clocks_find(first: int) -> None:
    seen = set()
    for seed in range(first, first + 20):
        threads = random_races(seed)
        expected = races_under_sc(threads)
        assert solved(threads, "sc") == expected, seed
        assert solved(threads, "svcomp", lazy=True) == expected, seed
        assert explored(as_program(threads)) == expected, seed
        seen.add(expected)
    assert seen == {True, False}


def explored(program: ir.Program) -> bool:
    """Does the machine find a race under SC? Its execution is judged again."""
    model = with_races(load_model("sc"))
    found = reach_by_states(compile_program(program, "sc"), model, Budget(), 100_000, "race")
    assert found is not None
    if found.execution is not None:
        judged = evaluate_execution(model, found.execution)
        assert judged.consistent
        assert races_in(judged)
    return found.execution is not None


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("block_writes", [False, True])
def test_an_atomic_block_races_with_an_ordinary_access_where_one_of_them_writes(
    writes: bool, block_writes: bool
) -> None:
    x = ir.Const(0x4000_0000)

    def access(write: bool) -> ir.Instruction:
        return ir.Store(x, ir.Const(1), PLAIN) if write else ir.Load("r", x, PLAIN)

    block: list[ir.Instruction] = [ir.AtomicBegin(), access(block_writes), ir.AtomicEnd()]
    program = as_program({"block": block, "ordinary": [access(writes)]})
    assert explored(program) == (writes or block_writes)


def test_the_machine_and_the_solver_agree_on_programs_that_wait() -> None:
    seen = set()
    for seed in range(30):
        program = random_waiting(seed)
        expected = explored(program)
        found = reach_failure(
            compile_program(program, "sc"), with_races(load_model("sc")), 2, Budget(), None, "race"
        )
        assert found.complete
        assert (found.execution is not None) == expected, seed
        seen.add(expected)
    assert seen == {True, False}


@pytest.mark.parametrize("name", ["sc", "tso", "power", "rc11", "c11"])
def test_races_are_the_flags_of_the_listed_executions(name: str) -> None:
    model = with_races(load_model(name))
    flags = {axiom.name for axiom in races_of(model)}
    seen = set()
    for seed in range(25):
        threads = random_races(seed)
        program = as_program(copy.deepcopy(threads))
        program = replace(program, threads=tuple(program.functions.values()))
        test = LitmusTest("random", "C", program, observed=())
        listed = outcomes(test, model, engine="enumerate")
        expected = bool(flags & set(listed.flags))
        assert solved(threads, name) == expected, seed
        assert solved(threads, name, lazy=True) == expected, seed
        seen.add(expected)
    assert seen == {True, False}


def test_a_users_model_says_itself_what_a_race_is() -> None:
    text = '"mine"\nlet conflict = loc & ext & (W * M)\nacyclic po | rf | co | fr as sc\n'
    named = resolve_text(f"{text}flag ~empty conflict as my-race\nflag ~empty rf as reading\n")
    assert [axiom.name for axiom in races_of(named)] == ["my-race"]
    unnamed = resolve_text(f"{text}flag ~empty conflict as oops\n")
    assert [axiom.name for axiom in races_of(unnamed)] == ["oops"]
    assert [axiom.name for axiom in races_of(with_races(unnamed))] == ["oops"]
    silent = with_races(resolve_text(text))
    assert [axiom.name for axiom in races_of(silent)] == ["data-race"]


def test_flags_that_cannot_be_encoded_are_looked_for_execution_by_execution() -> None:
    threads: dict[str, list[ir.Instruction]] = {
        "t0": [ir.Store(ir.Const(0x4000_0000), ir.Const(1), frozenset({"NA", "DATA"}), index=1)],
        "t1": [ir.Load("r", ir.Const(0x4000_0000), frozenset({"NA", "DATA"}), index=1)],
    }
    recursive = "let rec odd = odd | (rf \\ odd)\n"
    model = resolve_text(f'"odd"\n{recursive}acyclic po | rf | co | fr as sc\nflag ~empty odd as odd-race\n')
    found = reach_failure(as_program(threads), model, 1, Budget(), None, "race")
    assert found.execution is not None
    assert races_in(evaluate_execution(model, found.execution))
