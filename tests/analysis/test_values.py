"""Which numbers values may be, which events are live, and what is refused."""

from dataclasses import replace

import pytest
from tests.seeds import generator

from treville.analysis.possible import Values
from treville.analysis.values import analyse_values
from treville.events.symbolic import SymbolicProgram, symbolic_program
from treville.events.symbolic_whole import whole_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import (
    Branch,
    Const,
    Havoc,
    Instruction,
    Load,
    Local,
    Nondet,
    Op,
    Reg,
    Store,
    Thread,
)
from treville.programs.operators import OPERATORS, wrap
from treville.results import Unsupported


def analysed(*threads: Thread, coherent: bool = True, cells: int = 2) -> tuple[SymbolicProgram, Values]:
    program = ProgramDraft()
    for name in "xy"[:cells]:
        program.location(name)
    symbolic = symbolic_program(replace(program.finished(), threads=threads), 2)
    return symbolic, analyse_values(symbolic, coherent)


X, Y = Const(0x4000_0000), Const(0x4010_0000)


def thread(*instructions: Instruction, **labels: int) -> Thread:
    return Thread("P", instructions, labels)


def numbers(symbolic: SymbolicProgram, values: Values, index: int, register: str) -> set[int]:
    return set(values.numbers[symbolic.final[index][register].value])


def test_a_read_may_find_what_is_written_to_its_address_and_nothing_else() -> None:
    found = analysed(thread(Store(X, Const(5)), Store(Y, Const(6))), thread(Load("r", X)))
    assert numbers(*found, 1, "r") == {0, 5}


def test_pointers_that_travel_through_memory_are_followed() -> None:
    found = analysed(thread(Store(X, Const(9)), Store(Y, X)), thread(Load("p", Y), Load("r", Reg("p"))))
    assert numbers(*found, 1, "p") == {0, X.value}
    # A run that follows the null pointer does not count, so the second read is at x.
    assert numbers(*found, 1, "r") == {0, 9}


def test_racing_counters_reach_as_far_as_there_are_increments() -> None:
    count = (Load("r", X), Store(X, Op("add", (Reg("r"), Const(1)))))
    found = analysed(thread(*count), thread(*count), thread(Load("s", X)))
    assert {0, 1, 2} <= numbers(*found, 2, "s") <= set(range(5))


def test_code_behind_a_value_that_is_never_written_is_dead() -> None:
    symbolic, values = analysed(
        thread(Load("r", X), Branch("end", Op("ne", (Reg("r"), Const(7)))), Store(Y, Const(1)), end=3)
    )
    assert values.live == 0b01
    assert [event.kind for event in symbolic.events] == ["R", "W"]


def test_branches_that_justify_each_other_stay_possible() -> None:
    def follow(source: Const, target: Const) -> Thread:
        stay = Branch("end", Op("ne", (Reg("r"), Const(1))))
        return thread(Load("r", source), stay, Store(target, Const(1)), end=3)

    _, values = analysed(follow(X, Y), follow(Y, X))
    assert values.live == 0b1111


def test_accesses_to_parts_of_cells_are_refused_with_their_place() -> None:
    with pytest.raises(Unsupported, match="mixed-size"):
        analysed(thread(Load("r", Op("add", (X, Const(2))))))


def test_values_that_may_be_too_many_numbers_are_wide() -> None:
    mix: list[Instruction] = [Store(X, Const(1)), Store(Y, Const(1000))]
    for _ in range(6):
        mix += [Load("r", X), Load("s", Y), Store(X, Op("add", (Reg("r"), Reg("s")))), Store(Y, Reg("r"))]
    symbolic, values = analysed(thread(*mix), thread(*mix), coherent=False)
    assert symbolic.final[0]["r"].value in values.ranged


def test_a_write_that_first_seems_to_go_elsewhere_hides_nothing_there() -> None:
    distance = Const(Y.value - X.value)
    found = analysed(
        thread(
            Store(X, distance),
            Load("s", X),
            Store(Op("add", (X, Reg("s"))), Const(7)),
            Load("t", X),
        )
    )
    assert distance.value in numbers(*found, 0, "t")


UNARY = {"not", "neg", "lnot", "zext", "sext", "reverse_bits", "leading_zeros"}
SOME = [(5,), (3, 8), (-3, 2), (0, 6), (1, 100)]


@pytest.mark.parametrize("bits", [8, 32, 64])
@pytest.mark.parametrize("name", sorted(set(OPERATORS) - {"reverse_bytes"}))
def test_what_an_operator_may_be_covers_what_it_is(name: str, bits: int) -> None:
    """Of any number, of one of a few, and of both together."""
    choose = generator(f"{name} {bits}")
    kinds = (
        [("any",), ("few",)]
        if name in UNARY
        else [("any", "any"), ("any", "few"), ("few", "any"), ("few", "few")]
    )
    for kind in kinds:
        for few in SOME:
            code: list[Instruction] = [
                Nondet(f"r{place}", bits) if one == "any" else Havoc(f"r{place}", few)
                for place, one in enumerate(kind)
            ]
            code.append(
                Local("result", Op(name, tuple(Reg(f"r{place}") for place in range(len(kind))), bits))
            )
            code.append(Store(X, Reg("result"), bits=64))
            draft = ProgramDraft([ThreadDraft("main", code)])
            draft.location("x")
            symbolic = whole_program(draft.finished(), 1)
            (event,) = symbolic.events
            may_be = analyse_values(symbolic, True, most=24).numbers[symbolic.access(event.number).value]
            for _ in range(12):
                args = tuple(
                    choose.choice(few)
                    if one == "few"
                    else wrap(choose.choice((-1, 0, 1, choose.getrandbits(64))), bits)
                    for one in kind
                )
                assert wrap(OPERATORS[name](args, bits), 64) in may_be, (kind, few, args)
