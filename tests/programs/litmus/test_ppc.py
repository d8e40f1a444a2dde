"""PPC: what each instruction computes, its events, and what flows through registers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treville.programs.ir import (
    Branch,
    Expr,
    Fence,
    Load,
    Local,
    Op,
    Reg,
    Select,
    Store,
    StoreExclusive,
    Thread,
)
from treville.programs.litmus import parse
from treville.results import InputError, Unsupported

Final = Callable[..., dict[str, str]]


def thread(code: str, initial: str = "0:r2=x; 0:r4=y") -> Thread:
    rows = "".join(f"{line} ;\n" for line in code.split("\n"))
    return parse(f"PPC t\n{{ {initial} }}\nP0 ;\n{rows}exists (x=1)", "t.litmus").program.threads[0]


def registers_of(expression: Expr) -> set[str]:
    if isinstance(expression, Reg):
        return {expression.name}
    if isinstance(expression, Op):
        return set().union(*(registers_of(argument) for argument in expression.args))
    if isinstance(expression, Select):
        return set().union(*(registers_of(part) for part in expression))
    return set()


@pytest.mark.parametrize(
    ("initial", "code", "observed", "expected"),
    [
        ("0:r2=x", "li r1,3\nstw r1,0(r2)\nlwz r3,0(r2)", "0:r3", "3"),
        ("0:r2=x", "li r1,3\nstw r1,0,r2\nlwz r3,0,r2", "0:r3", "3"),
        ("int t[2]={1,2}; 0:r2=t; 0:r3=4", "lwzx r1,r2,r3", "0:r1", "2"),
        ("int t[2]={1,2}; 0:r2=t", "lwz r1,4(r2)\nlwzu r3,4(r2)\nlwz r4,0(r2)", "0:r4", "2"),
        ("0:r0=7; 0:r2=x; x=5", "lwzx r1,r0,r2", "0:r1", "5"),
        ("", "lis r0,1", "0:r0", "65536"),
        ("0:r0=7", "addi r1,r0,3\naddi r2,r1,3", "0:r2", "6"),
        ("0:r1=x; x=-1; int64_t 0:r0; int64_t 0:r2", "lwa r0,0(r1)\nlwz r2,0(r1)", "0:r2", "4294967295"),
        ("0:r1=x; x=-1; int64_t 0:r0", "lwa r0,0(r1)", "0:r0", "-1"),
        ("0:r1=x; x=-1", "lwz r2,0(r1)", "0:r2", "-1"),
        ("0:r1=6; 0:r2=3", "subf r3,r2,r1\nsub r4,r3,r1\nneg r5,r4", "0:r5", "3"),
        (
            "0:r1=6; 0:r2=3",
            "and r3,r1,r2\nor r4,r1,r2\nxor r5,r1,r2\nadd r6,r3,r4\nadd r7,r6,r5",
            "0:r7",
            "14",
        ),
        ("0:r1=6; 0:r2=3", "mullw r3,r1,r2\nmulli r3,r3,2\ndivw r3,r3,r2", "0:r3", "12"),
        ("0:r1=6", "slwi r2,r1,3\nsrwi r3,r2,1\nsrawi r3,r3,1", "0:r3", "12"),
        (
            "0:r1=6; 0:r2=5",
            "nor r3,r1,r2\nnand r4,r1,r2\nandc r5,r1,r2\norc r6,r1,r2\nnot r7,r3",
            "0:r7",
            "7",
        ),
        ("0:r31=1", "clrldi r11,r31,32", "0:r11", "1"),
        ("int64_t 0:r3=-1", "clrldi r3,r3,60", "0:r3", "15"),
        ("0:r4=5", "rlwinm r3,r4,2,0,29", "0:r3", "20"),
        ("0:r4=-1; uint32_t 0:r3", "rlwinm r3,r4,0,24,31", "0:r3", "255"),
        ("0:r4=-1; 0:r3=0", "rlwimi r3,r4,16,0,15", "0:r3", "-65536"),
        ("0:r3=0xaaaaaaaaaaaaaaaa", "li r4,-1\nrlwimi r3,r4,4,30,31", "0:r3", "-1431655765"),
        ("int64_t 0:r1=0xffffffff; int64_t 0:r2", "extsw r2,r1", "0:r2", "-1"),
        ("", "li r1,3\nori r1,r1,4\nxori r1,r1,1\nmr r2,r1", "0:r2", "6"),
        ("0:r0=2", "cmplwi r0,2\nbeq L1\naddi r0,r0,1\nL1: nop", "0:r0", "2"),
        ("0:r1=-1", "cmpwi r1,0\nblt L1\nli r2,1\nL1: nop", "0:r2", "0"),
        ("0:r1=-1", "cmplwi r1,0\nbgt L1\nli r2,1\nL1: nop", "0:r2", "0"),
        ("0:r1=1", "cmpwi cr1,r1,0\nbeq cr1,L1\nli r2,1\nL1: nop", "0:r2", "1"),
        ("0:r1=1", "add. r1,r1,r1\nble L1\nli r2,1\nL1: nop", "0:r2", "1"),
        ("0:r1=5", "andi. r1,r1,2\nbne- L1\nli r2,1\nL1: nop", "0:r2", "1"),
        ("0:r1=5", "cmpwi r1,4\nmfcr r2", "0:r2", "4"),
        ("", "li r1,1\nblr\nli r1,2", "0:r1", "1"),
        ("0:r3=x; x=4", "L: lwarx r1,r0,r3\naddi r1,r1,1\nstwcx. r1,r0,r3\nbne L", "x", "5"),
        ("0:r3=x; 0:r1=1", "stwcx. r1,r0,r3\nbgt A\nblt A\nbeq A\nli r2,1\nA: nop", "0:r2", "1"),
        (
            "int64_t x; 0:r2=x; int64_t 0:r1=0x100000000; int64_t 0:r3",
            "std r1,0(r2)\nld r3,0(r2)",
            "0:r3",
            "4294967296",
        ),
    ],
)
def test_instructions(final: Final, initial: str, code: str, observed: str, expected: str) -> None:
    assert final("PPC", initial, code, observed)[observed] == expected


@pytest.mark.parametrize(
    ("code", "tag"),
    [("sync", "SYNC"), ("hwsync", "SYNC"), ("lwsync", "LWSYNC"), ("isync", "ISYNC"), ("eieio", "EIEIO")],
)
def test_fences_carry_their_name(code: str, tag: str) -> None:
    (fence,) = thread(code).instructions
    assert isinstance(fence, Fence)
    assert fence.tags == {tag}


def test_a_comparison_makes_the_branch_depend_on_both_operands() -> None:
    compare, branch = thread("cmpw r1,r3\nbeq L\nL:").instructions
    assert isinstance(compare, Local)
    assert compare.register == "CR0"
    assert registers_of(compare.value) == {"r1", "r3"}
    assert isinstance(branch, Branch)
    assert branch.condition is not None
    assert registers_of(branch.condition) == {"CR0"}


def test_a_false_dependency_stays_in_the_address() -> None:
    instructions = thread("xor r3,r1,r1\nlwzx r5,r3,r4").instructions
    load = instructions[-1]
    assert isinstance(load, Load)
    assert registers_of(load.address) == {"r3", "r4"}


def test_a_store_conditional_lets_cr0_depend_on_what_it_reads() -> None:
    instructions = thread("lwarx r1,r0,r2\nstwcx. r3,r0,r2\nbne L\nL:").instructions
    load = instructions[0]
    assert isinstance(load, Load)
    assert load.exclusive
    assert load.tags == {"X"}
    assert any(isinstance(step, StoreExclusive) and step.tags == {"X"} for step in instructions)
    flows: dict[str, set[str]] = {}
    for step in instructions:
        if isinstance(step, Local):
            read = registers_of(step.value)
            flows[step.register] = read.union(*(flows.get(name, set()) for name in read))
    assert {"r2", "r3"} <= flows["CR0"]


def test_small_positive_tests_need_no_extensions() -> None:
    instructions = thread("li r1,1\nstw r1,0(r2)\nlwz r3,0(r4)").instructions
    assert [type(step) for step in instructions] == [Local, Store, Load]


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("fadd f1,f2,f3", "fadd"), ("lbz r1,0(r2)", "mixed-size"), ("sthx r1,r2,r3", "mixed-size"),
        ("bl F", "'bl'"), ("ld r1,0(r2)\nlwz r1,0(r2)", "mixed-size"), ("ptesync", "ptesync"),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_named(code: str, named: str) -> None:
    with pytest.raises(Unsupported, match=named):
        thread(code)


@pytest.mark.parametrize(
    "code",
    [
        "li r1",
        "li r99,1",
        "lwz r1,r2",
        "stw r1",
        "cmpw r1",
        "beq",
        "lwzx r1,r2",
        "cmpw cr9,r1,r2",
        "andi r1,r1,1",
    ],
)
def test_wrong_operands_are_refused(code: str) -> None:
    with pytest.raises(InputError):
        thread(code)
