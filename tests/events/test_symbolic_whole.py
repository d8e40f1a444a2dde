"""Whole programs become static events; loops that would be too long are cut at the bound."""

from __future__ import annotations

import pytest

from treville.events import symbolic
from treville.events.symbolic_whole import MAX_THREADS, whole_program
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft


def counting(rounds: int, step: ir.Instruction) -> ir.Program:
    """A loop of a known number of rounds."""
    program = ProgramDraft()
    program.location("x")
    program.functions["other"] = ThreadDraft("other", [])
    more = ir.Op("lt", (ir.Reg("i"), ir.Const(rounds)), 32)
    instructions: list[ir.Instruction] = [
        ir.Local("i", ir.Const(0)),
        step,
        ir.Local("i", ir.Op("add", (ir.Reg("i"), ir.Const(1)), 32)),
        ir.Branch("again", more),
    ]
    program.threads.append(ThreadDraft("main", instructions, {"again": 1}))
    return program.finished()


def store() -> ir.Instruction:
    return ir.Store(ir.Const(ir.LOCATION_BASE), ir.Reg("i"), frozenset({"NA"}), 32)


def start() -> ir.Instruction:
    return ir.Spawn("thread", "other", ir.Const(0))


def test_a_loop_of_known_length_is_done_to_the_end() -> None:
    result = whole_program(counting(20, store()), 1)
    assert len(result.events) == 20
    assert not result.cuts


def test_a_loop_that_is_too_long_is_cut_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic, "MAX_STEPS", 30)
    result = whole_program(counting(20, store()), 2)
    assert len(result.events) == 3  # the first round, and two more
    assert result.cuts


def test_very_many_threads_are_cut_at_the_bound() -> None:
    result = whole_program(counting(10 * MAX_THREADS, start()), 3)
    assert len(result.thread_names) == 5  # main, those of the first round and of three more
    assert result.cuts


def taking(otherwise: ir.Expr) -> ir.Program:
    """A loop that waits for something to take, which it puts into a register; as long as there is nothing the
    register becomes something else."""
    program = ProgramDraft()
    there, what = (ir.Const(program.location(name).address) for name in ("there", "what"))
    instructions: list[ir.Instruction] = [
        ir.Local("taken", ir.Const(7)),
        ir.Load("found", there, frozenset({"A"})),
        ir.Branch("take", ir.Reg("found")),
        ir.Local("taken", otherwise),
        ir.Local("done", ir.Const(0)),
        ir.Branch("test"),
        ir.Load("taken", what, frozenset({"A"})),
        ir.Store(there, ir.Const(0), frozenset({"A"})),
        ir.Local("done", ir.Const(1)),
        ir.Branch("wait", ir.Op("eq", (ir.Reg("done"), ir.Const(0)), 32)),
        ir.Assert(ir.Op("eq", (ir.Reg("taken"), ir.Const(1)), 32)),
    ]
    labels = {"wait": 1, "take": 6, "test": 9}
    program.threads.append(ThreadDraft("main", instructions, labels))
    return program.finished()


def test_a_register_that_stays_as_it_is_where_nothing_is_taken_needs_no_bound() -> None:
    result = whole_program(taking(ir.Reg("taken")), 1)
    assert not result.cuts
    assert len(result.waits) == 1


@pytest.mark.parametrize("more", [ir.Reg("found"), ir.Const(1)], ids=["read", "counted"])
def test_a_register_that_an_iteration_changes_is_no_waiting(more: ir.Expr) -> None:
    assert whole_program(taking(ir.Op("add", (ir.Reg("taken"), more), 32)), 1).cuts
