"""Static events: guards, merged registers, dependencies with conditions, exclusives."""

from dataclasses import replace

from treville.events.symbolic import SymbolicProgram, symbolic_program
from treville.events.symbolic_data import StaticAccess
from treville.events.symbolic_terms import FALSE, TRUE, Choose, Read, Terms
from treville.programs.draft import ProgramDraft
from treville.programs.ir import (
    Branch,
    Const,
    Instruction,
    Load,
    Local,
    Op,
    Reg,
    Select,
    Store,
    StoreExclusive,
    Thread,
)
from treville.relations import EventId

PROGRAM = ProgramDraft()
X, Y = Const(PROGRAM.location("x").address), Const(PROGRAM.location("y").address)


def symbolic(instructions: list[Instruction], **labels: int) -> SymbolicProgram:
    program = replace(PROGRAM.finished(), threads=(Thread("P0", tuple(instructions), labels),))
    return symbolic_program(program, 2)


def kinds(result: SymbolicProgram) -> str:
    return "".join(event.kind for event in result.events)


def test_guards_of_two_branches_join_to_the_guard_before_them() -> None:
    result = symbolic(
        [Load("r", X), Branch("else", Reg("r")), Store(Y, Const(1)), Branch("end"), Store(Y, Const(2)),
         Store(X, Const(3))],
        **{"else": 4, "end": 5},
    )  # fmt: skip
    _, one, two, after = result.events
    assert one.guard == -two.guard
    assert after.guard == TRUE
    assert result.po[one.number] == 1 << after.number


def test_a_register_set_in_one_branch_is_merged_under_the_branch() -> None:
    result = symbolic(
        [Load("r", X), Load("s", Y), Branch("end", Reg("r")), Local("s", Const(7)), Store(Y, Reg("s"))], end=4
    )
    store = result.events[-1]
    read_s = result.events[1]
    # The stored value depends on the second read only where the branch jumped over the assignment.
    assert list(store.data) == [read_s.number]
    assert store.data[read_s.number] not in (TRUE, FALSE)
    assert isinstance(result.terms.values[result.final[0]["s"].value], Choose)


def test_control_dependencies_end_at_until() -> None:
    branch = Branch("end", Reg("r"), until="end")
    result = symbolic([Load("r", X), branch, Store(Y, Const(1)), Store(Y, Const(2))], end=3)
    inside, outside = result.events[1:]
    assert inside.ctrl == {0: TRUE}
    assert outside.ctrl == {}


def test_cancelled_values_are_constant_but_still_depend() -> None:
    result = symbolic([Load("r", X), Store(Y, Op("xor", (Reg("r"), Reg("r"))))])
    assert result.events[1].data == {0: TRUE}
    store = result.events[1]
    assert isinstance(store, StaticAccess)
    assert result.terms.values[store.value or 0] == result.terms.values[result.terms.constant(0)]


def test_a_select_gives_pick_dependencies_on_its_condition() -> None:
    result = symbolic([Load("r", X), Store(Y, Select(Reg("r"), Const(1), Const(2)))])
    assert (result.events[1].data, result.events[1].pick_data) == ({}, {0: TRUE})


def test_a_store_conditional_pairs_with_the_open_reservation_once() -> None:
    result = symbolic(
        [Load("r", X, exclusive=True), StoreExclusive("s", X, Const(1)), StoreExclusive("t", X, Const(2))]
    )
    assert kinds(result) == "RW"
    assert result.events[1].pair == {0: TRUE}
    assert result.terms.values[result.final[0]["t"].value] == result.terms.values[result.terms.constant(1)]


def test_a_loop_that_memory_does_not_decide_is_unrolled_as_far_as_it_runs() -> None:
    count_down: list[Instruction] = [
        Local("i", Const(9)),
        Store(X, Reg("i")),
        Local("i", Op("sub", (Reg("i"), Const(1)))),
        Branch("again", Reg("i")),
    ]
    result = symbolic(count_down, again=1)
    assert kinds(result) == "W" * 9
    assert not result.cuts


def test_terms_of_different_kinds_are_never_confused() -> None:
    terms = Terms()
    assert terms.constant(2) != terms.read(EventId(2))
    assert isinstance(terms.values[terms.read(EventId(2))], Read)


def test_disjunctions_of_complementary_guards_fold() -> None:
    terms = Terms()
    guard, choice = terms.free(1), terms.free(2)
    halves = [terms.both(guard, choice), terms.both(guard, -choice)]
    assert terms.either(halves) == guard
    assert terms.both(choice, -choice) == FALSE
    assert terms.either([choice, -choice]) == TRUE
