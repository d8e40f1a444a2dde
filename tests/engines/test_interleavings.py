"""Failing interleavings count where the model allows them, and only there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.asking import reach_failure
from tests.random_dependencies import random_program
from tests.random_models import random_model
from tests.seeds import conclusive

from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.decide.interleavings import Interleavings
from treville.engines.registry import DECIDE
from treville.engines.schedule import run, slices_for
from treville.engines.task import ready_task
from treville.machines.buffers.machine import Machine
from treville.models.cat.resolve import resolve_text
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs import ir
from treville.programs.compile_to import compile_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results import Budget, Verdict

ATOMIC = frozenset({"SC", "A"})
WEAK = ("tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv", "rc11", "c11", "imm")


def counting(rounds: int = 1) -> ir.Program:
    """Two threads add one to a counter without a lock; main asserts that nothing is lost."""
    program = ProgramDraft()
    counter = ir.Const(program.location("counter").address)
    more = ir.Op("add", (ir.Reg("r"), ir.Const(1)), 32)
    body: list[ir.Instruction] = []
    for number in range(rounds):
        body.append(ir.Load("r", counter, ATOMIC, index=2 * number + 1))
        body.append(ir.Store(counter, more, ATOMIC, index=2 * number + 2))
    program.functions = {"add": ThreadDraft("add", body)}
    main: list[ir.Instruction] = [ir.Spawn(name, "add", ir.Const(0)) for name in ("one", "other")]
    main += [ir.Join(ir.Reg("one")), ir.Join(ir.Reg("other")), ir.Load("all", counter, ATOMIC, index=90)]
    main.append(ir.Assert(ir.Op("eq", (ir.Reg("all"), ir.Const(2 * rounds)))))
    program.threads.append(ThreadDraft("main", main))
    return program.finished()


def model_of(text: str) -> Model:
    return resolve_text(f'"own"\n{text}\n', "own.cat")


def verdict_of(program: ir.Program, model: Model) -> tuple[Verdict, int | None]:
    task = ready_task(program, model, budget=Budget(60))
    found = run(task, slices_for(task), DECIDE).answer
    if isinstance(found, GaveUp):
        return Verdict.UNKNOWN, found.bound
    return Verdict.PASS if isinstance(found, Proved) else Verdict.FAIL, found.bound


def fails(program: ir.Program, model: Model, states: int) -> bool:
    """Does a failing interleaving among the first states count?"""
    return isinstance(Interleavings().run(ready_task(program, model), states), Refuted)


@pytest.mark.parametrize("name", WEAK)
def test_a_failing_interleaving_answers_for_every_weak_model(name: str) -> None:
    model = load_model(name)
    assert verdict_of(compile_program(counting(), name), model) == (Verdict.FAIL, None)


FORBIDDING = {
    "writes behind the reads of others": "empty fre",
    "two reads of one write": "empty ([R]; rf^-1; rf; [R]) & ext",
    "data that come from a read": "empty data",
    "values from memory in a later write": "empty [R]; data; [W]; co",
    "reads of other threads' writes": "empty rfe \\ (IW * R)",
}


@pytest.mark.parametrize("what", FORBIDDING)
def test_an_interleaving_that_the_model_forbids_does_not_count(what: str) -> None:
    model = model_of(f"acyclic po | rf | co | fr\n{FORBIDDING[what]} as own")
    program = counting()
    assert Machine(program, "sc").explore().verdict == "FAIL"
    assert not fails(program, model, 1_000)
    by_solver = reach_failure(program, model, 2, Budget())
    expected = Verdict.PASS if by_solver.execution is None else Verdict.FAIL
    assert verdict_of(program, model)[0] is expected


def test_a_model_that_demands_something_is_not_satisfied_by_half_a_run() -> None:
    assert not fails(counting(), model_of("~empty rfe"), 1_000)


def test_the_look_is_short() -> None:
    program, model = counting(rounds=3), load_model("power")
    assert not fails(program, model, 5)
    assert fails(program, model, 1_000)


def test_fences_of_a_location_are_left_to_the_solver() -> None:
    program = counting()
    fence = ir.Fence(frozenset({"Sync-srcu"}), ir.Const(program.locations["counter"].address))
    main = replace(program.threads[0], instructions=(fence, *program.threads[0].instructions))
    program = replace(program, threads=(main,))
    assert not fails(program, load_model("power"), 1_000)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_looking_at_interleavings_first_changes_no_verdict(first: int) -> None:
    failing = looked = 0
    for seed in range(first, first + 10):
        program, model = random_program(seed), random_model(seed)
        expected = reach_failure(program, model, 3, Budget()).execution is not None
        verdict, bound = verdict_of(program, model)
        assert (verdict is Verdict.FAIL) == expected, seed
        failing += expected
        looked += expected and bound is None
    assert conclusive(0 < looked <= failing < 10)
