"""Assertions of whole programs: threads, locks, arithmetic, objects, bounds, atomic blocks."""

from dataclasses import replace

import pytest
from tests.asking import Reachability, reach_failure

from treville.models.library import load_model
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import (
    Allocate,
    Assert,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Branch,
    Const,
    Expr,
    Fence,
    Instruction,
    Join,
    Load,
    Local,
    Nondet,
    Op,
    Program,
    ReadPrivate,
    Reg,
    Spawn,
    Store,
    WritePrivate,
)
from treville.results import Budget
from treville.solving.solution import evaluate_execution

FULL = frozenset({"SC", "MFENCE"})


def program(main: list[Instruction], **functions: list[Instruction]) -> Program:
    """Start every function in order, join them all, then run `main`."""
    result = ProgramDraft()
    for name in ("x", "y", "a", "b"):
        result.location(name)
    body: list[Instruction] = []
    for name in functions:
        body += [Fence(FULL), Spawn(f"t{name}", name, Const(0))]
    for name in functions:
        body += [Join(Reg(f"t{name}")), Fence(FULL)]
    result.threads = [ThreadDraft("main", body + main)]
    result.functions = {name: ThreadDraft(name, list(code)) for name, code in functions.items()}
    return result.finished()


X, Y, A, B = (Const(0x4000_0000 + i * 0x10_0000) for i in range(4))


def both(one: Expr, other: Expr) -> Expr:
    return Op("and", (one, other), 32)


def equals(register: str, number: int) -> Expr:
    return Op("eq", (Reg(register), Const(number)), 32)


def asked(code: Program, model: str, bound: int = 2, lazy: bool = False) -> Reachability:
    answer = reach_failure(code, load_model(model), bound, Budget(seconds=60), lazy)
    if answer.execution is not None:
        assert answer.failed
        assert evaluate_execution(load_model(model), answer.execution).consistent
    return answer


def verdict(answer: Reachability) -> str:
    return "FAIL" if answer.execution is not None else "PASS" if answer.complete else "UNKNOWN"


def store_buffering() -> Program:
    return program(
        [Load("p", A), Load("q", B), Assert(Op("lnot", (both(equals("p", 0), equals("q", 0)),), 32))],
        one=[Store(X, Const(1)), Load("r", Y), Store(A, Reg("r"))],
        two=[Store(Y, Const(1)), Load("r", X), Store(B, Reg("r"))],
    )


@pytest.mark.parametrize("lazy", [False, True])
def test_store_buffering_fails_under_tso_only(lazy: bool) -> None:
    assert verdict(asked(store_buffering(), "sc", lazy=lazy)) == "PASS"
    assert verdict(asked(store_buffering(), "tso", lazy=lazy)) == "FAIL"


def test_what_precedes_a_start_and_a_thread_precedes_what_follows_its_join() -> None:
    code = program(
        [Load("p", X), Assert(equals("p", 2))],
        one=[Load("r", X), Assert(equals("r", 0)), Store(X, Const(1)), Store(X, Const(2))],
    )
    for model in ("sc", "tso", "power", "rc11"):
        assert verdict(asked(code, model)) == "PASS"


def locked_increment(lock: bool) -> list[Instruction]:
    count: list[Instruction] = [Load("r", Y, index=1), Store(Y, Op("add", (Reg("r"), Const(1)), 32), index=2)]
    if not lock:
        return count
    taking: list[Instruction] = [
        Load("l", X, frozenset({"A"}), link=True, index=10),
        Assume(equals("l", 0)),
        Store(X, Const(1), frozenset({"A"}), link=True, index=10),
        Fence(FULL),
    ]
    return [*taking, *count, Fence(FULL), Store(X, Const(0))]


@pytest.mark.parametrize(("lock", "expected"), [(True, "PASS"), (False, "FAIL")])
def test_a_lock_keeps_increments(lock: bool, expected: str) -> None:
    body = locked_increment(lock)
    code = program([Load("p", Y), Assert(equals("p", 3))], one=body, two=body, three=body)
    assert verdict(asked(code, "tso")) == expected


def fibonacci(rounds: int, largest: int) -> Program:
    def add(target: Const, other: Const) -> list[Instruction]:
        step: list[Instruction] = [
            Load("r", target), Load("s", other), Store(target, Op("add", (Reg("r"), Reg("s")), 32)),
        ]  # fmt: skip
        return step * rounds

    small = [Op("le", (Reg(name), Const(largest)), 32) for name in "pq"]
    code = program([Load("p", X), Load("q", Y), Assert(both(*small))], one=add(X, Y), two=add(Y, X))
    ones = {name: replace(code.locations[name], initial=(1,)) for name in "xy"}
    return replace(code, locations={**code.locations, **ones})


@pytest.mark.parametrize("model", ["sc", "tso"])
def test_the_fibonacci_race_reaches_exactly_its_largest_number(model: str) -> None:
    assert verdict(asked(fibonacci(4, 55), model)) == "PASS"
    answer = asked(fibonacci(4, 54), model)
    assert verdict(answer) == "FAIL"
    assert answer.execution is not None
    assert max(event.value or 0 for event in answer.execution.events) == 55


def test_nondeterministic_numbers_are_found_by_arithmetic() -> None:
    square = Op("mul", (Reg("n"), Reg("n")), 32)
    code = program([Nondet("n", 32), Assert(Op("ne", (square, Const(1369)), 32))])
    assert verdict(asked(code, "sc")) == "FAIL"
    code = program(
        [Nondet("n", 16), Assert(Op("ne", (Op("mul", (Reg("n"), Const(6)), 32), Const(1369)), 32))]
    )
    assert verdict(asked(code, "sc")) == "PASS"


def with_loop(code: Program) -> Program:
    one = replace(code.functions["one"], labels={"again": 0})
    return replace(code, functions={**code.functions, "one": one})


def test_waiting_needs_no_bound_but_counting_unknown_rounds_does() -> None:
    wait: list[Instruction] = [
        Load("r", X),
        Branch("again", equals("r", 0)),
        Load("s", Y),
        Assert(equals("s", 1)),
    ]
    write: list[Instruction] = [Store(Y, Const(1)), Fence(FULL), Store(X, Const(1))]
    code = with_loop(program([], one=wait, two=write))
    assert verdict(asked(code, "tso", bound=1)) == "PASS"
    counting = [Local("n", Op("add", (Reg("n"), Const(1)), 32)), *wait, Store(Y, Reg("n"))]
    code = with_loop(program([], one=list(counting), two=write))
    assert verdict(asked(code, "tso", bound=1)) == "UNKNOWN"


def test_objects_are_fresh_and_reached_through_pointers() -> None:
    make: list[Instruction] = [
        Allocate("p", Const(8)),
        Store(Reg("p"), Const(5)),
        Fence(FULL),
        Store(A, Reg("p"), bits=64),
    ]
    read: list[Instruction] = [
        Load("q", A, bits=64), Assume(Op("ne", (Reg("q"), Const(0)), 64)), Load("r", Reg("q")),
        Assert(equals("r", 5)),
    ]  # fmt: skip
    assert verdict(asked(program([], one=make, two=read), "tso")) == "PASS"
    early = [make[0], make[3], make[1]]
    assert verdict(asked(program([], one=early, two=read), "sc")) == "FAIL"


def test_private_cells_are_no_events() -> None:
    index = Op("mul", (Reg("i"), Const(4)), 64)
    code = program([
        WritePrivate("array", Const(0), Const(7)), WritePrivate("array", Const(4), Const(8)),
        Load("i", X), ReadPrivate("r", "array", index), Assert(equals("r", 7)),
        WritePrivate("array", index, Const(9)), ReadPrivate("s", "array", Const(0)), Assert(equals("s", 9)),
        ReadPrivate("t", "array", Const(4)), Assert(equals("t", 8)),
    ])  # fmt: skip
    answer = asked(code, "sc")
    assert verdict(answer) == "PASS"
    assert answer.stats["events"] == 2


@pytest.mark.parametrize("model", ["svcomp", "sc"])
def test_atomic_blocks_are_not_interleaved(model: str) -> None:
    twice: list[Instruction] = [AtomicBegin(), Store(X, Const(1)), Store(Y, Const(1)), AtomicEnd()]
    look: list[Instruction] = [
        AtomicBegin(), Load("r", X), Load("s", Y), AtomicEnd(), Assert(Op("eq", (Reg("r"), Reg("s")), 32)),
    ]  # fmt: skip
    assert verdict(asked(program([], one=twice, two=look), model)) == "PASS"
    assert verdict(asked(program([], one=twice, two=look[1:3] + look[4:]), model)) == "FAIL"
