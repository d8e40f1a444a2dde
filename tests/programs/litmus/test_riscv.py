"""RISC-V instructions: what each computes, which events it makes, and what is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.programs.litmus.one_thread import one_thread, only_final_state

from treville.programs.ir import Fence, Load, Store, StoreExclusive
from treville.programs.litmus.riscv.reader import _handlers
from treville.programs.litmus.riscv.registers import register_name
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Unsupported


def read(program: str, initial: str = "", condition: str = "forall true") -> LitmusTest:
    return one_thread("RISCV", program, initial, condition)


def final(program: str, initial: str, observed: str) -> list[str]:
    return only_final_state(read(program, initial, f"locations [{observed}]"), "riscv")


ARITHMETIC = [
    ("li a0,-1", "-1"),
    ("ori a0,x0,7", "7"),
    ("addi a0,zero,-3", "-3"),
    ("lui a0,1", "4096"),
    ("lui a0,0x80000", "-2147483648"),
    ("li a1,5; li a2,7; sub a0,a1,a2", "-2"),
    ("li a1,5; li a2,7; add a0,a1,a2", "12"),
    ("li a1,12; li a2,10; and a0,a1,a2", "8"),
    ("li a1,12; li a2,10; or a0,a1,a2", "14"),
    ("li a1,12; xori a0,a1,-1", "-13"),
    ("li a1,12; andi a0,a1,4", "4"),
    ("li a1,1; slli a0,a1,33", str(1 << 33)),
    ("li a1,1; slliw a0,a1,31", "-2147483648"),
    ("li a1,-8; srai a0,a1,1", "-4"),
    ("li a1,-1; srli a0,a1,60", "15"),
    ("li a1,-1; srliw a0,a1,28", "15"),
    ("li a1,1; li a2,65; sll a0,a1,a2", "2"),
    ("li a1,-1; li a2,1; slt a0,a1,a2", "1"),
    ("li a1,-1; li a2,1; sltu a0,a1,a2", "0"),
    ("li a1,2147483647; addiw a0,a1,1", "-2147483648"),
    ("li a1,1; slli a1,a1,32; addi a1,a1,-1; sext.w a0,a1", "-1"),
    ("li a1,3; mv a0,a1", "3"),
    ("li a1,3; not a0,a1", "-4"),
    ("li a1,3; neg a0,a1", "-3"),
    ("seqz a0,x0", "1"),
    ("li a1,-7; li a2,2; div a0,a1,a2", "-3"),
    ("li a1,-7; div a0,a1,x0", "-1"),
    ("li a1,-7; rem a0,a1,x0", "-7"),
    ("li a1,7; li a2,3; mul a0,a1,a2", "21"),
    ("li x0,5; mv a0,x0", "0"),
]


@pytest.mark.parametrize(("program", "value"), ARITHMETIC)
def test_an_instruction_computes_its_value(program: str, value: str) -> None:
    assert final(program, "int64_t 0:a0;", "0:a0;") == [value]


@pytest.mark.parametrize(
    ("branch", "taken"),
    [
        ("beq a1,a2,yes", "0"), ("bne a1,a2,yes", "1"), ("blt a1,a2,yes", "1"), ("bge a1,a2,yes", "0"),
        ("bltu a1,a2,yes", "0"), ("bgeu a1,a2,yes", "1"), ("bgt a1,a2,yes", "0"), ("ble a1,a2,yes", "1"),
        ("beqz a1,yes", "0"), ("bnez a1,yes", "1"), ("bltz a1,yes", "1"), ("bgtz a1,yes", "0"),
        ("j yes", "1"),
    ],
)  # fmt: skip
def test_branches_compare_minus_one_with_two(branch: str, taken: str) -> None:
    assert final(f"{branch}; j no; yes: li a0,1; no: nop", "int64_t 0:a1=-1; 0:a2=2;", "0:a0;") == [taken]


@pytest.mark.parametrize(
    ("instruction", "new"),
    [
        ("amoswap.w a0,a2,(a1)", "10"), ("amoadd.w.aq a0,a2,(a1)", "22"), ("amoand.w a0,a2,0(a1)", "8"),
        ("amoor.w.rl a0,a2,(a1)", "14"), ("amoxor.w a0,a2,(a1)", "6"), ("amomax.w a0,a2,(a1)", "12"),
        ("amominu.w.aq.rl a0,a2,(a1)", "10"),
    ],
)  # fmt: skip
def test_atomic_operations_return_the_old_value(instruction: str, new: str) -> None:
    assert final(instruction, "x=12; 0:a1=x; 0:a2=10;", "0:a0; x;") == ["12", new]


def test_an_atomic_operation_may_name_one_register_twice() -> None:
    assert final("amoadd.w a2,a2,(a1)", "x=12; 0:a1=x; 0:a2=10;", "0:a2; x;") == ["12", "22"]
    assert final("amoswap.w x0,a2,(a1)", "x=12; 0:a1=x; 0:a2=10;", "0:x0; x;") == ["0", "10"]


def test_loads_and_stores_use_offsets_and_sizes() -> None:
    start = "int t[2]={3,4}; 0:a1=t; int8_t b=-1; 0:a2=b; int64_t 0:a0;"
    assert final("lw a0,4(a1); sw a0,(a1)", start, "0:a0; t;") == ["4", "{4,4}"]
    assert final("lb a0,0(a2)", start, "0:a0;") == ["-1"]
    assert final("lbu a0,0(a2)", start, "0:a0;") == ["255"]


def test_annotations_become_tags() -> None:
    test = read(
        "lw.aq a0,0(a1); sw.rl a0,0(a1); lr.w.aq.rl a0,(a1); sc.w.rl a2,a0,(a1); amoswap.w.aq a0,a2,(a1);"
        "fence rw,w; fence iorw,ow; fence; fence.tso; fence.i; fence i,o",
        "0:a1=x;",
    )
    tags = [
        set(i.tags)
        for i in test.program.threads[0].instructions
        if isinstance(i, (Load, Store, StoreExclusive, Fence))
    ]
    amo = {"X", "AMO", "Acq"}
    assert tags == [
        {"Acq"}, {"Rel"}, {"EX", "AcqRel"}, {"EX", "Rel"}, amo, amo,
        {"Fence.rw.w"}, {"Fence.rw.w"}, {"Fence.rw.rw"}, {"Fence.tso"}, {"Fence.i"},
    ]  # fmt: skip


def test_registers_have_two_names() -> None:
    names = [register_name(name) for name in ("zero", "ra", "fp", "s0", "a7", "s11", "t6", "X31", "x32")]
    assert names == ["x0", "x1", "x8", "x8", "x17", "x27", "x31", "x31", None]
    assert read("li a0,1", condition="exists (0:a0=1)").observed[0].shown == "0:x10"


def test_other_instructions_are_refused_with_their_place() -> None:
    with pytest.raises(Unsupported, match=r"fadd\.s") as refusal:
        read("nop; fadd.s f0,f1,f2")
    span = refusal.value.span
    assert span is not None
    assert (span.line, span.column) == (4, 7)


@pytest.mark.parametrize(
    "program",
    ["lw a0", "lw a0,a1", "li a0,x", "add a0,a1", "beq a0,a1,1+", "fence rw", "fence q,w", "jal a0,L",
     "sw a9,0(a1)", "amoadd.w a0,a1,a2", "bne a0,a1,nowhere", "ori a0,x0,0x1g"],
)  # fmt: skip
def test_wrong_operands_are_located_errors(program: str) -> None:
    with pytest.raises(InputError) as problem:
        read(program)
    assert problem.value.span is not None


def test_all_mnemonics_of_the_corpus_are_known(corpus: Path) -> None:
    lines = (corpus / "RISCV" / "mnemonics.txt").read_text().splitlines()
    names = {line.split()[0] for line in lines if line and line[0] not in "#<"}
    assert len(names) > 50
    assert {name for name in names if name not in _handlers()} == {"riscv"}  # a header, counted by mistake


def test_parts_of_larger_locations_are_refused() -> None:
    with pytest.raises(Unsupported, match="mixed sizes"):
        read("lb a0,0(a1)", "int x; 0:a1=x;")
