"""Initial states."""

from __future__ import annotations

import pytest

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Program
from treville.programs.litmus.initial import (
    AddressOf,
    Entry,
    InstructionText,
    LabelOf,
    Number,
    apply_initial,
    read_initial,
)
from treville.programs.litmus.layout import split
from treville.programs.litmus.literals import bits_of_type, parse_number
from treville.results import InputError, Unsupported


def entries(text: str) -> list[Entry]:
    return read_initial(split(f"X86 t\n{{{text}}}\nP0 | P1 ;\n", "t.litmus"))


def program(text: str) -> Program:
    sections = split(f"X86 t\n{{{text}}}\nP0 | P1 ;\n", "t.litmus")
    made = ProgramDraft([ThreadDraft("P0"), ThreadDraft("P1")])
    apply_initial(sections, made, read_initial(sections), lambda _thread, name, _offset: (name, name))
    return made.finished()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x=1", (None, "x", "", None, (Number(1),))),
        ("[x] = -1;", (None, "x", "", None, (Number(-1),))),
        ("int x=0x10", (None, "x", "int", None, (Number(16),))),
        ("0:EAX=1", (0, "EAX", "", None, (Number(1),))),
        ("P1:EAX = 0;", (1, "EAX", "", None, (Number(0),))),
        ("0:r1=x", (0, "r1", "", None, (AddressOf("x"),))),
        ("0:X2=x+4", (0, "X2", "", None, (AddressOf("x", 0, 4),))),
        ("0:X2=x[1]", (0, "X2", "", None, (AddressOf("x", 1),))),
        ("uint64_t 0:X1", (0, "X1", "uint64_t", None, ())),
        ("int x[2]={1,-2}", (None, "x", "int", 2, (Number(1), Number(-2)))),
        ("atomic_t v = ATOMIC_INIT(3)", (None, "v", "atomic_t", None, (Number(3),))),
        ("struct srcu_struct s", (None, "s", "struct srcu_struct", None, ())),
        ("0:X1=P1:L0", (0, "X1", "", None, (LabelOf(1, "L0"),))),
        ('0:X1=label:"P0:L"', (0, "X1", "", None, (LabelOf(0, "L"),))),
        ('0:X1=instr:"NOP"', (0, "X1", "", None, (InstructionText("NOP"),))),
        ("%x0=x", (None, "%x0", "", None, (AddressOf("x"),))),
    ],
)
def test_each_form_of_entry_is_read(text: str, expected: tuple[object, ...]) -> None:
    (entry,) = entries(text)
    assert (entry.thread, entry.name, entry.type, entry.length, entry.values) == expected


def test_pointers_hold_addresses() -> None:
    made = program("int *p=&x; x=5; y=p; int *q; 1:EAX=p;")
    x, p = made.locations["x"], made.locations["p"]
    assert p.initial == (x.address,)
    assert (p.bits, x.bits) == (64, 32)
    assert made.locations["y"].initial == (p.address,)
    assert made.locations["q"].initial == (0,)
    assert made.threads[1].registers == {"EAX": p.address}


def test_a_symbolic_register_is_set_in_every_thread() -> None:
    made = program("%x0=x; x=1")
    assert [thread.registers for thread in made.threads] == [{"%x0": made.locations["x"].address}] * 2


def test_values_are_wrapped_to_their_type() -> None:
    made = program("int x=0xffffffff; uint8_t y=255; int64_t z=0xffffffff")
    assert [made.locations[name].initial for name in "xyz"] == [(-1,), (-1,), (0xFFFFFFFF,)]
    assert made.locations["y"].unsigned


def test_cells_of_an_array_lie_behind_each_other() -> None:
    made = program("int64_t t[3]={1,2,3}; 0:EAX=t[2]")
    found = made.location_at(made.threads[0].registers["EAX"])
    assert found is not None
    assert (found[0].name, found[1]) == ("t", 2)


@pytest.mark.parametrize(
    "text", ["x=", "int x[2]={1}", "int x[-1]", "x=1 y=2", "=1", "9:EAX=1", "0:EAX={1,2}"]
)
def test_wrong_entries_are_refused_with_their_place(text: str) -> None:
    with pytest.raises(InputError) as refused:
        program(text)
    assert refused.value.span is not None
    assert refused.value.span.line == 2


@pytest.mark.parametrize("text", ["[PTE(x)]=(oa:PA(x))", "0:X1=x:red", "0:X1=PTE(x)", "ins_t x=NOP"])
def test_system_level_constructs_are_refused_by_name(text: str) -> None:
    with pytest.raises(Unsupported):
        program(text)


def test_numbers_of_any_length_are_read() -> None:
    assert parse_number("9" * 5000) == parse_number("9" * 300)
    assert parse_number("0xffffffffffffffff") == -1
    assert parse_number("-12") == -12


def test_types_have_the_widths_of_c() -> None:
    names = ("char", "int16_t", "int", "long", "unsigned long", "volatile int", "spinlock_t")
    assert [bits_of_type(name) for name in names] == [8, 16, 32, 64, 64, 32, 32]
    assert bits_of_type("int", pointer=True) == 64
