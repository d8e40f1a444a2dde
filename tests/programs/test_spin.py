"""Loops that only wait."""

from treville.programs.ir import Branch, Const, Fence, Instruction, Load, Local, Op, Reg, Store, Thread
from treville.programs.spin import spin_jumps

X, Y = Const(0x4000_0000), Const(0x4010_0000)


def loop(*body: Instruction, after: tuple[Instruction, ...] = ()) -> Thread:
    back = Branch("head", Reg("r"))
    return Thread("P0", (*body, back, *after), {"head": 0})


def test_reading_until_a_value_comes_is_a_spin_loop() -> None:
    assert spin_jumps(loop(Load("r", X), after=(Store(Y, Reg("r")),))) == {1}
    assert spin_jumps(loop(Load("r", X), Fence(frozenset({"MFENCE"})))) == {2}


def test_a_loop_that_writes_is_none() -> None:
    assert spin_jumps(loop(Load("r", X), Store(Y, Const(1)))) == set()


def test_a_loop_that_counts_is_none() -> None:
    assert spin_jumps(loop(Load("r", X), Local("n", Op("add", (Reg("n"), Const(1)))))) == set()


def test_a_value_of_an_earlier_round_that_is_used_behind_the_loop_spoils_it() -> None:
    leave = Branch("end", Reg("r"))
    code, labels = (Load("r", X), leave, Load("s", Y), Branch("head")), {"head": 0, "end": 4}
    assert spin_jumps(Thread("P0", (*code, Store(Y, Reg("s"))), labels)) == set()
    assert spin_jumps(Thread("P0", (*code, Store(Y, Reg("r"))), labels)) == {3}


def test_two_reads_in_a_condition_are_still_a_spin_loop() -> None:
    thread = Thread(
        "P0",
        (Load("a", X), Branch("out", Reg("a")), Load("b", Y), Branch("head", Reg("b")), Store(X, Const(1))),
        {"head": 0, "out": 4},
    )
    assert spin_jumps(thread) == {3}
