"""Which registers and private cells still matter."""

from treville.programs.ir import (
    Branch,
    Const,
    Load,
    Local,
    Op,
    ReadPrivate,
    Reg,
    Store,
    Thread,
    WritePrivate,
)
from treville.programs.live import cell, is_live, live_names

X = Const(0x4000_0000)


def test_a_register_matters_until_it_is_used_for_the_last_time() -> None:
    thread = Thread("t", (Load("r", X), Store(X, Reg("r")), Store(X, Const(1))))
    assert live_names(thread) == [frozenset(), frozenset({"r"}), frozenset(), frozenset()]


def test_a_counter_that_only_counts_does_not_matter() -> None:
    counting = (Local("n", Op("add", (Reg("n"), Const(1)), 32)), Load("r", X), Branch("again", Reg("r")))
    assert live_names(Thread("t", counting, {"again": 0}))[0] == frozenset()
    used = Thread("t", (*counting, Store(X, Reg("n"))), {"again": 0})
    assert live_names(used)[0] == {"n"}


def test_what_a_loop_carries_from_round_to_round_matters() -> None:
    code = (Store(X, Reg("old")), Load("old", X), Branch("again", Reg("old")))
    assert live_names(Thread("t", code, {"again": 0}))[0] == {"old"}


def test_cells_of_private_objects_are_told_apart_where_offsets_are_known() -> None:
    code = (WritePrivate("a", Const(0), Reg("v")), ReadPrivate("r", "a", Const(4)), Store(X, Reg("r")))
    before = live_names(Thread("t", code))[0]
    assert before == {cell("a", 4)}
    somewhere = (WritePrivate("a", Const(0), Reg("v")), ReadPrivate("r", "a", Reg("i")), Store(X, Reg("r")))
    before = live_names(Thread("t", somewhere))[0]
    assert before == {"v", "i", cell("a", "*")}
    assert is_live(cell("a", 12), before)
    assert not is_live(cell("b", 12), before)
