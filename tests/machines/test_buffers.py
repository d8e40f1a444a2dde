"""The machine with store buffers as an engine: its failing runs are executions that the models allow."""

from __future__ import annotations

import pytest
from tests.asking import Reachability, reach_by_states, reach_failure
from tests.byte_memory import random_accesses
from tests.seeds import conclusive

from treville.machines.buffers.machine import Machine
from treville.machines.states import TooManyStates
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.compile_to import compile_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results import Budget

X, Y = ir.Const(ir.LOCATION_BASE), ir.Const(ir.LOCATION_BASE + ir.LOCATION_STRIDE)
A, B = ir.Const(X.value + 2 * ir.LOCATION_STRIDE), ir.Const(X.value + 3 * ir.LOCATION_STRIDE)


def buffering(fenced: bool) -> ir.Program:
    """Each thread writes its variable and reads the other's; not both may read 0."""
    program = ProgramDraft()
    for name in ("x", "y", "a", "b"):
        program.location(name)
    for name, own, other, result in (("first", X, Y, A), ("second", Y, X, B)):
        body: list[ir.Instruction] = [ir.Store(own, ir.Const(1))]
        body += [ir.Fence(frozenset({"MFENCE"}))] if fenced else []
        body += [ir.Load("r", other), ir.Store(result, ir.Reg("r"))]
        program.functions[name] = ThreadDraft(name, body)
    main: list[ir.Instruction] = [ir.Spawn(f"t{name}", name, ir.Const(0)) for name in program.functions]
    main += [ir.Join(ir.Reg(f"t{name}")) for name in program.functions]
    main += [ir.Load("a", A), ir.Load("b", B), ir.Assert(ir.Op("or", (ir.Reg("a"), ir.Reg("b"))))]
    program.threads.append(ThreadDraft("main", main))
    return program.finished()


def answer(program: ir.Program, model: str, limit: int = 10_000) -> Reachability | None:
    return reach_by_states(compile_program(program, model), load_model(model), Budget(), limit)


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_a_failing_run_is_an_execution_that_the_model_allows_and_sc_does_not(model: str) -> None:
    found = answer(buffering(fenced=False), model)
    assert found is not None
    execution = found.execution
    assert execution is not None
    assert found.thread_names == ["main", "first", "second"]
    sizes = (len(execution.events), execution.sets, execution.relations)
    assert evaluate(load_model(model), *sizes).violated == []
    assert evaluate(load_model("sc"), *sizes).violated != []


@pytest.mark.parametrize(("model", "fenced"), [("sc", False), ("tso", True), ("pso", True)])
def test_all_states_without_a_failure_are_a_pass(model: str, fenced: bool) -> None:
    found = answer(buffering(fenced), model)
    assert found is not None
    assert found.execution is None
    assert found.complete


def test_other_models_and_too_many_states_have_no_answer() -> None:
    assert answer(buffering(fenced=False), "power") is None
    unfinished = answer(buffering(fenced=True), "tso", limit=5)
    assert unfinished is not None
    assert not unfinished.complete


@pytest.mark.parametrize(
    "instructions",
    [
        [ir.Nondet("r"), ir.Store(X, ir.Reg("r"))],
        [ir.Allocate("p", ir.Const(4)), ir.Load("r", ir.Reg("p"), blind=True)],
        [ir.Store(X, ir.Const(1), bits=32), ir.Load("r", X, bits=8)],
    ],
    ids=["any number", "not initialised", "mixed sizes"],
)
def test_what_the_machine_cannot_do_exactly_it_leaves_alone(instructions: list[ir.Instruction]) -> None:
    program = ProgramDraft([ThreadDraft("main", instructions)])
    program.location("x")
    assert answer(program.finished(), "sc") is None


@pytest.mark.parametrize(
    ("instructions", "message"),
    [
        ([ir.Load("r", ir.Const(0))], "a null pointer is used"),
        ([ir.Store(ir.Const(8), ir.Const(1))], "a null pointer is used"),
        ([ir.Free(ir.Const(0)), ir.Load("r", ir.Const(0))], "a null pointer is used"),
        (
            [ir.Allocate("p", ir.Const(4), heap=True), ir.Free(ir.Reg("p")), ir.Load("r", ir.Const(0))],
            "a null pointer is used",
        ),
        ([ir.Store(ir.Const(X.value + 4), ir.Const(1))], "an access to memory outside every object"),
        (
            [
                ir.Allocate("p", ir.Const(4)),
                ir.Store(ir.Op("add", (ir.Reg("p"), ir.Const(4)), 64), ir.Const(1)),
            ],
            "an access to memory outside every object",
        ),
        (
            [ir.Allocate("p", ir.Const(4), heap=True), ir.Free(ir.Reg("p")), ir.Load("r", ir.Reg("p"))],
            "use after free",
        ),
        (
            [ir.Allocate("p", ir.Const(4), heap=True), ir.Free(ir.Reg("p")), ir.Free(ir.Reg("p"))],
            "double free",
        ),
        (
            [ir.Allocate("p", ir.Const(4)), ir.Free(ir.Reg("p"))],
            "a free of what is not the start of an allocated object",
        ),
        ([ir.Free(X)], "a free of what is not the start of an allocated object"),
    ],
)
@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_the_machine_names_errors_of_memory(
    instructions: list[ir.Instruction], message: str, model: str
) -> None:
    program = ProgramDraft([ThreadDraft("main", instructions)])
    program.location("x")
    found = answer(program.finished(), model)
    assert found is not None
    assert found.failed == [instructions[-1]]
    assert found.message == message


def test_fresh_objects_that_are_zeroed_read_as_zero() -> None:
    program = ProgramDraft()
    body: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(8), zeroed=True),
        ir.Load("r", ir.Op("add", (ir.Reg("p"), ir.Const(4)))),
        ir.Assert(ir.Op("eq", (ir.Reg("r"), ir.Const(0)))),
    ]
    program.threads.append(ThreadDraft("main", body))
    found = answer(program.finished(), "tso")
    assert found is not None
    assert found.complete
    assert found.execution is None


def test_large_numbers_are_no_objects_in_a_failing_run() -> None:
    program = ProgramDraft()
    location = program.location("x")
    location.bits, location.initial = 64, [1 << 40]
    add = ir.Op("add", (ir.Reg("r"), ir.Const(7)))
    main: list[ir.Instruction] = [
        ir.Load("r", X, bits=64),
        ir.Store(X, add, bits=64),
        ir.Load("s", X, bits=64),
        ir.Assert(ir.Const(0)),
    ]
    program.threads.append(ThreadDraft("main", main))
    found = answer(program.finished(), "sc")
    assert found is not None
    assert found.execution is not None
    assert [event.value for event in found.execution.events if event.kind == "R"] == [1 << 40, (1 << 40) + 7]


def test_threads_that_are_alike_are_explored_once_whoever_they_are() -> None:
    def counting(joins: bool) -> ir.Program:
        worker: list[ir.Instruction] = [
            ir.Load("r", X),
            ir.Store(X, ir.Op("add", (ir.Reg("r"), ir.Const(1)), 32)),
        ]
        starts: list[ir.Instruction] = [ir.Spawn(f"t{n}", "worker", ir.Const(0)) for n in range(4)]
        ends: list[ir.Instruction] = [ir.Join(ir.Reg(f"t{n}")) for n in range(4)] if joins else []
        check: list[ir.Instruction] = [
            ir.Load("seen", X),
            ir.Assert(ir.Op("lt", (ir.Reg("seen"), ir.Const(5)), 32)),
        ]
        functions = {"worker": ThreadDraft("worker", worker)}
        program = ProgramDraft([ThreadDraft("main", [*starts, *ends, *check])], functions=functions)
        program.location("x")
        return program.finished()

    alike, apart = answer(counting(joins=False), "sc"), answer(counting(joins=True), "sc")
    assert alike is not None
    assert apart is not None
    assert alike.complete
    assert apart.complete
    assert int(alike.stats["states"]) * 2 < int(apart.stats["states"])


def test_a_load_finds_the_bytes_of_memory_or_the_machine_gives_up() -> None:
    """Random accesses that overlap in any way: no answer is wrong, and what does not overlap is answered."""
    answered = given_up = 0
    for seed in range(300):
        program, apart = random_accesses(seed)
        for model in ("sc", "tso", "pso"):
            try:
                assert Machine(program, model).explore().verdict == "PASS", (seed, model)
                answered += 1
            except TooManyStates:
                assert not apart, (seed, model)
                given_up += 1
    assert conclusive(min(answered, given_up) > 100)


@pytest.mark.parametrize("model", ["sc", "tso"])
def test_a_bound_lets_loops_go_round_as_often_as_for_solvers(model: str) -> None:
    """Whoever goes round three times fails: the bounds for which that is found are the same."""
    program = ProgramDraft()
    program.location("x")
    more, again = (ir.Op(op, (ir.Reg("r"), ir.Const(n)), 32) for op, n in (("add", 1), ("lt", 2)))
    body: list[ir.Instruction] = [
        ir.Load("r", X), ir.Store(X, more), ir.Branch("again", again), ir.Assert(ir.Const(0)),
    ]  # fmt: skip
    program.threads.append(ThreadDraft("main", body, labels={"again": 0}))
    made = program.finished()
    by_bound = [Machine(made, model, bound).explore().verdict == "FAIL" for bound in range(1, 5)]
    solved = [
        reach_failure(made, load_model(model), bound, Budget()).execution is not None for bound in range(1, 5)
    ]
    assert by_bound == solved
    assert len(set(by_bound)) == 2
