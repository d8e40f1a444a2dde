"""Deadlock and liveness: the solver and the state graph of the machine agree on random programs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.asking import Reachability, reach_by_states, reach_failure
from tests.random_waiting import random_outcome, random_waiting

from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.compile_to import compile_program
from treville.programs.draft import ProgramDraft
from treville.results import Budget

GOALS = ("deadlock", "liveness")
X, Y = ir.Const(0x4000_0000), ir.Const(0x4010_0000)
RELAXED = frozenset({"RLX", "A"})


def verdict(found: Reachability) -> str:
    if found.execution is not None:
        return "FAIL"
    return "PASS" if found.complete else "UNKNOWN"


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_the_solver_and_the_machine_agree(first: int) -> None:
    seen = set()
    for seed in range(first, first + 10):
        program = random_waiting(seed)
        for name in ("sc", "tso", "pso"):
            model, compiled = load_model(name), compile_program(program, name)
            for goal in GOALS:
                by_states = reach_by_states(compiled, model, Budget(), 100_000, goal)
                assert by_states is not None
                solved = reach_failure(compiled, model, 2, Budget(), goal=goal)
                assert verdict(solved) == verdict(by_states), (seed, name, goal)
                seen.add(verdict(solved))
                for found in (solved, by_states):
                    if (run := found.execution) is not None:
                        judged = evaluate(model, len(run.events), run.sets, run.relations)
                        assert judged.violated == [], (seed, name, goal)
                        assert found.waiting
    assert seen == {"PASS", "FAIL"}


@pytest.mark.parametrize("conditions", [False, True])
@pytest.mark.parametrize("name", ["sc", "tso", "pso"])
def test_rounds_that_change_nothing_can_be_left_out(name: str, conditions: bool) -> None:
    seen = set()
    model = load_model(name)
    for seed in range(60):
        compiled = compile_program(random_outcome(seed, conditions), name)
        explored = reach_by_states(compiled, model, Budget(), 100_000)
        assert explored is not None
        solved = reach_failure(compiled, model, 1, Budget())
        assert verdict(solved) == verdict(explored), seed
        seen.add(verdict(solved))
    assert seen == {"PASS", "FAIL"}


def program(**threads: ir.Thread) -> ir.Program:
    """A program whose main starts and joins the threads."""
    draft = ProgramDraft()
    draft.location("x"), draft.location("y")
    code: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in threads]
    code += [ir.Join(ir.Reg(f"h{name}")) for name in threads]
    return replace(draft.finished(), threads=(ir.Thread("main", tuple(code)),), functions=threads)


def both(made: ir.Program, model: str, goal: str) -> tuple[str, str]:
    """What the solver and the machine say."""
    compiled, loaded = compile_program(made, model), load_model(model)
    by_states = reach_by_states(compiled, loaded, Budget(), 100_000, goal)
    assert by_states is not None
    return verdict(reach_failure(compiled, loaded, 2, Budget(), goal=goal)), verdict(by_states)


def spin(place: ir.Const, name: str) -> ir.Thread:
    absent = ir.Op("lnot", (ir.Reg("r"),))
    return ir.Thread(name, (ir.Load("r", place, RELAXED), ir.Branch("again", absent)), {"again": 0})


def test_a_thread_that_waits_for_what_is_written_goes_on() -> None:
    writer = ir.Thread("writer", (ir.Store(X, ir.Const(1), RELAXED),))
    for goal in GOALS:
        assert both(program(waiter=spin(X, "waiter"), writer=writer), "tso", goal) == ("PASS", "PASS")
        assert both(program(waiter=spin(Y, "waiter"), writer=writer), "tso", goal) == ("FAIL", "FAIL")


def test_a_loop_that_changes_memory_for_ever_is_no_deadlock_but_never_ends() -> None:
    code = (ir.Store(X, ir.Const(1)), ir.Store(X, ir.Const(0)), ir.Branch("again"))
    busy = ir.Thread("busy", code, {"again": 0})
    assert both(program(busy=busy), "sc", "deadlock") == ("UNKNOWN", "PASS")
    assert both(program(busy=busy), "sc", "liveness") == ("UNKNOWN", "FAIL")


def test_a_program_that_exits_leaves_nobody_waiting() -> None:
    leaving = ir.Thread("leaving", (ir.Stop(reason="exit"),))
    assert both(program(waiter=spin(X, "waiter"), leaving=leaving), "sc", "deadlock") == ("PASS", "PASS")


def test_runs_that_an_assumption_excludes_do_not_count() -> None:
    thread = ir.Thread("t", (ir.Load("r", X, RELAXED), ir.Assume(ir.Reg("r"))))
    assert both(program(t=thread), "sc", "deadlock") == ("PASS", "PASS")
    waiting = ir.Thread("t", (ir.Load("r", X, RELAXED), ir.Assume(ir.Reg("r"), waits=True)))
    assert both(program(t=waiting), "sc", "deadlock") == ("FAIL", "FAIL")


def test_a_counter_that_nobody_reads_does_not_keep_a_loop_from_waiting() -> None:
    more, again = ir.Local("n", ir.Op("add", (ir.Reg("n"), ir.Const(1)), 32)), spin(X, "counting")
    counting = replace(again, instructions=(more, *again.instructions))
    assert both(program(t=counting), "sc", "liveness") == ("FAIL", "FAIL")
    counting = replace(counting, instructions=(*counting.instructions, ir.Store(Y, ir.Reg("n"))))
    compiled = compile_program(program(t=counting), "sc")
    assert verdict(reach_failure(compiled, load_model("sc"), 2, Budget(), goal="liveness")) == "UNKNOWN"
