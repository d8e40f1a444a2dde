"""Deadlock and liveness: the solver, the states of the machine and execution graphs agree."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.asking import Reachability, by_engine, reach_by_states, reach_failure
from tests.random_waiting import random_outcome, random_waiting

from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.compile_to import compile_program
from treville.programs.draft import ProgramDraft
from treville.results import Budget

GOALS = ("deadlock", "liveness")
X, Y, Z = ir.Const(0x4000_0000), ir.Const(0x4010_0000), ir.Const(0x4020_0000)
RELAXED = frozenset({"RLX", "A"})
ALL_PASS, ALL_FAIL = ("PASS",) * 3, ("FAIL",) * 3


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
                by_graphs = by_engine("graphs", compiled, model, None, goal)
                assert verdict(solved) == verdict(by_states) == verdict(by_graphs), (seed, name, goal)
                seen.add(verdict(solved))
                for found in (solved, by_states, by_graphs):
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
    draft.location("x"), draft.location("y"), draft.location("z")
    code: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in threads]
    code += [ir.Join(ir.Reg(f"h{name}")) for name in threads]
    return replace(draft.finished(), threads=(ir.Thread("main", tuple(code)),), functions=threads)


def said(made: ir.Program, model: str, goal: str) -> tuple[str, str, str]:
    """What the solver, the machine and graphs say."""
    compiled, loaded = compile_program(made, model), load_model(model)
    by_states = reach_by_states(compiled, loaded, Budget(), 100_000, goal)
    assert by_states is not None
    solved = reach_failure(compiled, loaded, 2, Budget(), goal=goal)
    return verdict(solved), verdict(by_states), verdict(by_engine("graphs", compiled, loaded, None, goal))


def spin(place: ir.Const, name: str) -> ir.Thread:
    absent = ir.Op("lnot", (ir.Reg("r"),))
    return ir.Thread(name, (ir.Load("r", place, RELAXED), ir.Branch("again", absent)), {"again": 0})


def test_a_thread_that_waits_for_what_is_written_goes_on() -> None:
    writer = ir.Thread("writer", (ir.Store(X, ir.Const(1), RELAXED),))
    for goal in GOALS:
        assert said(program(waiter=spin(X, "waiter"), writer=writer), "tso", goal) == ALL_PASS
        assert said(program(waiter=spin(Y, "waiter"), writer=writer), "tso", goal) == ALL_FAIL


def test_a_loop_that_changes_memory_for_ever_is_no_deadlock_but_never_ends() -> None:
    code = (ir.Store(X, ir.Const(1)), ir.Store(X, ir.Const(0)), ir.Branch("again"))
    busy = ir.Thread("busy", code, {"again": 0})
    assert said(program(busy=busy), "sc", "deadlock") == ("UNKNOWN", "PASS", "UNKNOWN")
    assert said(program(busy=busy), "sc", "liveness") == ("UNKNOWN", "FAIL", "UNKNOWN")


def test_a_program_that_exits_leaves_nobody_waiting() -> None:
    leaving = ir.Thread("leaving", (ir.Stop(reason="exit"),))
    assert said(program(waiter=spin(X, "waiter"), leaving=leaving), "sc", "deadlock") == ALL_PASS


def test_runs_that_an_assumption_excludes_do_not_count() -> None:
    thread = ir.Thread("t", (ir.Load("r", X, RELAXED), ir.Assume(ir.Reg("r"))))
    assert said(program(t=thread), "sc", "deadlock") == ALL_PASS
    waiting = ir.Thread("t", (ir.Load("r", X, RELAXED), ir.Assume(ir.Reg("r"), waits=True)))
    assert said(program(t=waiting), "sc", "deadlock") == ALL_FAIL


def test_a_counter_that_nobody_reads_does_not_keep_a_loop_from_waiting() -> None:
    more, again = ir.Local("n", ir.Op("add", (ir.Reg("n"), ir.Const(1)), 32)), spin(X, "counting")
    counting = replace(again, instructions=(more, *again.instructions))
    assert said(program(t=counting), "sc", "liveness") == ALL_FAIL
    counting = replace(counting, instructions=(*counting.instructions, ir.Store(Y, ir.Reg("n"))))
    compiled = compile_program(program(t=counting), "sc")
    assert verdict(reach_failure(compiled, load_model("sc"), 2, Budget(), goal="liveness")) == "UNKNOWN"


def test_locks_that_spinning_threads_write_again_are_held_for_ever() -> None:
    def taking(name: str) -> ir.Thread:
        code = (
            ir.Load("r", X, RELAXED, link=True, index=1),
            ir.Store(X, ir.Const(1), RELAXED, link=True, index=1),
            ir.Branch("again", ir.Reg("r")),
        )  # fmt: skip
        return ir.Thread(name, code, {"again": 0})

    for goal in GOALS:
        for model in ("sc", "pso"):
            held = program(one=taking("one"), two=taking("two"), three=taking("three"))
            assert said(held, model, goal) == ALL_FAIL
            assert said(program(one=taking("one")), model, goal) == ALL_PASS


def test_a_loop_that_writes_what_is_there_never_ends_but_for_others() -> None:
    """Whether that is a deadlock is a question that graphs leave to others."""
    absent = ir.Op("lnot", (ir.Reg("r"),))
    asking = (ir.Store(X, ir.Const(1), RELAXED), ir.Load("r", Y, RELAXED), ir.Branch("again", absent))
    repeated = ir.Thread("asking", asking, {"again": 0})
    compiled = compile_program(program(one=repeated), "sc")
    for goal, wanted in (("liveness", "FAIL"), ("deadlock", "UNKNOWN")):
        assert verdict(by_engine("graphs", compiled, load_model("sc"), None, goal)) == wanted
    code = (*spin(X, "answering").instructions, ir.Store(Y, ir.Const(1), RELAXED))
    answering = ir.Thread("answering", code, {"again": 0})
    compiled = compile_program(program(one=repeated, two=answering), "sc")
    assert verdict(by_engine("graphs", compiled, load_model("sc"), None, "liveness")) == "PASS"


def test_a_loop_that_reads_nothing_does_not_wait() -> None:
    fencing = ir.Thread("fencing", (ir.Fence(frozenset({"SC", "MFENCE"})), ir.Branch("again")), {"again": 0})
    compiled = compile_program(program(fencing=fencing), "tso")
    for goal, wanted in (("liveness", "FAIL"), ("deadlock", "PASS")):
        assert verdict(by_engine("graphs", compiled, load_model("tso"), None, goal)) == wanted


@pytest.mark.parametrize(("model", "wanted"), [("sc", "PASS"), ("tso", "FAIL"), ("aarch64", "FAIL")])
def test_threads_that_miss_each_others_writes_wait_for_ever(model: str, wanted: str) -> None:
    """Who finds that the other one came releases it; where both find nobody, both wait."""

    def coming(name: str, mine: ir.Const, other: ir.Const) -> ir.Thread:
        code = (
            ir.Store(mine, ir.Const(1), RELAXED), ir.Load("r", other, RELAXED),
            ir.Branch("seen", ir.Reg("r")), ir.Load("s", Z, RELAXED),
            ir.Branch("again", ir.Op("lnot", (ir.Reg("s"),))), ir.Branch("end"),
            ir.Store(Z, ir.Const(1), RELAXED),
        )  # fmt: skip
        return ir.Thread(name, code, {"again": 3, "seen": 6, "end": 7})

    made = program(one=coming("one", X, Y), two=coming("two", Y, X))
    compiled, loaded = compile_program(made, model), load_model(model)
    for goal in GOALS:
        found = by_engine("graphs", compiled, loaded, None, goal)
        assert verdict(found) == verdict(reach_failure(compiled, loaded, 2, Budget(), goal=goal)) == wanted
        if found.execution is not None:
            assert [found.thread_names[thread] for thread in found.waiting] == ["main", "one", "two"]
            assert [event.address for event in found.execution.events].count(
                Z.value
            ) == 3  # with the initial write


def test_where_memory_is_used_as_it_may_not_be_graphs_do_not_say_who_waits() -> None:
    wild = ir.Thread("wild", (ir.Load("r", ir.Const(8), RELAXED),))
    compiled = compile_program(program(wild=wild, waiter=spin(X, "waiter")), "sc")
    assert verdict(by_engine("graphs", compiled, load_model("sc"), None, "deadlock")) == "UNKNOWN"
