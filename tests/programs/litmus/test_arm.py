"""ARM: what each instruction computes, its events, and conditional execution."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treville.programs.ir import Branch, Fence, Load, Store, StoreExclusive, Thread
from treville.programs.litmus import parse
from treville.programs.litmus.arm.reader import Mnemonic, take_apart
from treville.results import InputError, Unsupported

Final = Callable[..., dict[str, str]]


def thread(code: str, initial: str = "0:R1=x; 0:R3=y") -> Thread:
    rows = "".join(f"{line} ;\n" for line in code.split("\n"))
    return parse(f"ARM t\n{{ {initial} }}\nP0 ;\n{rows}exists (x=1)", "t.litmus").program.threads[0]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ADD", Mnemonic("ADD", False, "")),
        ("ADDS", Mnemonic("ADD", True, "")),
        ("ADDSEQ", Mnemonic("ADD", True, "EQ")),
        ("ADDCS", Mnemonic("ADD", False, "CS")),
        ("BLS", Mnemonic("B", False, "LS")),
        ("BLEQ", Mnemonic("BL", False, "EQ")),
        ("BAL", Mnemonic("B", False, "")),
        ("MOVTEQ", Mnemonic("MOVT", False, "EQ")),
        ("STREXNE", Mnemonic("STREX", False, "NE")),
        ("LDMIB", Mnemonic("LDMIB", False, "")),
        ("TEQ", Mnemonic("TEQ", False, "")),
        ("QADD", None),
    ],
)
def test_mnemonics_are_taken_apart(word: str, expected: Mnemonic | None) -> None:
    assert take_apart(word) == expected


@pytest.mark.parametrize(
    ("initial", "code", "observed", "expected"),
    [
        ("%x0=x", "MOV R0,#2\nSTR R0,[%x0]\nLDR R1,[%x0]", "0:R1", "2"),
        ("0:R1=x; x=4", "LDR R0,R1", "0:R0", "4"),
        ("int t[2]={1,2}; 0:R0=t", "LDR R1,[R0,#4]", "0:R1", "2"),
        ("int t[2]={1,2}; 0:R0=t; 0:R2=1", "LDR R1,[R0,R2,LSL #2]", "0:R1", "2"),
        ("int t[2]={1,2}; 0:R0=t; 0:R2=4", "LDR R1,[R0,R2]\nADD R0,R0,#4\nLDR R3,[R0,-R2]", "0:R3", "1"),
        ("int t[2]={1,2}; 0:R0=t", "LDR R1,[R0],#4\nLDR R2,[R0]", "0:R2", "2"),
        ("int t[2]={1,2}; 0:R0=t", "LDR R1,[R0,#4]!\nLDR R2,[R0]", "0:R2", "2"),
        ("int t[2]={1,2}; 0:R0=t", "LDR R0,[R0],#4", "0:R0", "t[1]"),
        ("int t[2]={1,2}; 0:R1=t", "LDRD R2,R3,[R1]\nLDRD R4,[R1]", "0:R5", "2"),
        ("int t[2]; 0:R1=t; 0:R2=7; 0:R3=8", "STRD R2,R3,[R1]", "t", "{7,8}"),
        ("int t[3]={1,2,3}; 0:R0=t", "LDMIB R0,{R1,R2}", "0:R2", "3"),
        ("int t[3]={1,2,3}; 0:R0=t", "LDM R0!,{R1-R3}\nLDMDB R0,{R4,R5}", "0:R4", "2"),
        ("int t[2]; 0:R0=t; 0:R1=5; 0:R2=6", "STMIA R0,{R1,R2}", "t", "{5,6}"),
        ("", "LDR R0,=x\nMOV R1,#3\nSTR R1,[R0]", "x", "3"),
        ("0:R1=6; 0:R2=3", "ADD R3,R1,R2\nSUB R3,R3,#1\nRSB R3,R3,#10\nMUL R3,R3,R1", "0:R3", "12"),
        (
            "0:R1=6; 0:R2=3",
            "AND R3,R1,R2\nORR R4,R1,R2\nEOR R5,R1,R2\nBIC R6,R1,R2\nADD R7,R3,R6",
            "0:R7",
            "6",
        ),
        ("0:R1=6", "MVN R2,R1\nLSL R3,R1,#2\nADD R4,R1,R1,LSR #1\nASR R5,R2,#1", "0:R5", "-4"),
        ("0:R1=0x12345678", "UXTB R2,R1", "0:R2", "120"),
        ("0:R1=1", "MOV R2,R1,ROR #1", "0:R2", "-2147483648"),
        ("", "MOVW R0,#0x1234\nMOVT R0,#0x5678", "0:R0", str(0x56781234)),
        ("0:R3=1", "CMP R3,#1\nMOVWEQ R1,#2\nMOVTEQ R2,#2\nMOVNE R1,#9", "0:R1", "2"),
        ("0:R1=1", "CMP R1,#1\nANDEQ R2,R1,R1\nADDNE R2,R2,#5", "0:R2", "1"),
        ("0:R1=x; 0:R2=1", "CMP R2,#1\nSTREQ R2,[R1]\nSTRNE R1,[R1]", "x", "1"),
        ("0:R1=x; x=5", "CMP R2,#1\nLDREQ R3,[R1]\nLDRNE R4,[R1]\nADD R5,R3,R4,LSL #1", "0:R5", "10"),
        ("0:R1=1", "SUBS R2,R1,#1\nBEQ L\nMOV R2,#2\nL:", "0:R2", "0"),
        ("0:R1=1", "CBZ R1,L\nMOV R2,#2\nL: CBNZ R1,M\nMOV R2,#3\nM:", "0:R2", "2"),
        ("0:R1=3", "CMP R1,#2\nCMPEQ R1,#3\nMOVNE R2,#1", "0:R2", "1"),
        ("0:R0=P0:foo", "BX R0\nMOV R1,#1\nfoo:", "0:R1", "0"),
        ("", "MOV R0,FP\nBX LR\nMOV R0,#5", "0:R0", "0"),
        ("0:R1=x; x=4", "L: LDREX R0,[R1]\nADD R0,R0,#1\nSTREX R2,R0,[R1]\nCMP R2,#0\nBNE L", "x", "5"),
        ("0:R1=x", "STREX R2,R0,[R1]", "0:R2", "1"),
    ],
)
def test_instructions(final: Final, initial: str, code: str, observed: str, expected: str) -> None:
    assert final("ARM", initial, code, observed)[observed] == expected


@pytest.mark.parametrize(
    ("left", "right", "true"),
    [
        (1, 1, "EQ CS HS PL VC LS GE LE"),
        (1, 2, "NE CC LO MI VC LS LT LE"),
        (2, 1, "NE CS HS PL VC HI GE GT"),
        (-1, 1, "NE CS HS MI VC HI LT LE"),
        (-2147483648, 1, "NE CS HS PL VS HI LT LE"),
    ],
)
def test_conditions_follow_the_comparison(final: Final, left: int, right: int, true: str) -> None:
    for condition in (
        "EQ",
        "NE",
        "CS",
        "HS",
        "CC",
        "LO",
        "MI",
        "PL",
        "VS",
        "VC",
        "HI",
        "LS",
        "GE",
        "LT",
        "GT",
        "LE",
    ):
        code = f"CMP R0,R1\nB{condition} L\nMOV R2,#1\nL:"
        state = final("ARM", f"0:R0={left}; 0:R1={right}", code, "0:R2")
        assert (state["0:R2"] == "0") == (condition in true.split()), condition


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("DMB", "DMB"), ("DMB SY", "DMB"), ("DMB ST", "DMB.ST"), ("DMB ISH", "DMB.ISH"),
        ("DMB ISHST", "DMB.ST"), ("DSB", "DSB"), ("DSB ST", "DSB.ST"), ("ISB", "ISB"),
    ],
)  # fmt: skip
def test_fences_carry_their_name(code: str, tag: str) -> None:
    (fence,) = thread(code).instructions
    assert isinstance(fence, Fence)
    assert fence.tags == {tag}


def test_acquire_release_and_exclusives_are_tagged() -> None:
    steps = thread("LDA R0,[R1]\nSTL R0,[R1]\nLDAEX R0,[R1]\nSTLEX R2,R0,[R1]").instructions
    found = [step for step in steps if isinstance(step, (Load, Store, StoreExclusive))]
    assert [step.tags for step in found] == [{"A"}, {"L"}, {"A", "X"}, {"L", "X"}]
    assert isinstance(found[2], Load)
    assert found[2].exclusive


def test_only_a_conditional_access_depends_on_its_condition() -> None:
    skip, *_ = (
        step for step in thread("STRNE R0,[R1]\nSTR R0,[R3]").instructions if isinstance(step, Branch)
    )
    assert skip.until == skip.target


def test_the_words_of_one_instruction_are_not_ordered() -> None:
    loads = [step for step in thread("LDRD R4,R5,[R1]").instructions if isinstance(step, Load)]
    assert [load.parallel for load in loads] == [False, True]
    assert loads[0].index == loads[1].index


@pytest.mark.parametrize(
    ("code", "named"),
    [("LDRB R0,[R1]", "mixed-size"), ("VADD R0,R1,R2", "VADD"), ("DMB NSH", "NSH"), ("BL F", "calls"),
     ("MOV PC,R0", "program counter")],
)  # fmt: skip
def test_what_is_not_supported_is_named(code: str, named: str) -> None:
    with pytest.raises(Unsupported, match=named):
        thread(code)


@pytest.mark.parametrize(
    "code",
    [
        "MOV R0",
        "LDR R0",
        "STR R0,[R1",
        "STREX R0,R1",
        "LDM R0",
        "CMP R0",
        "B",
        "ADD R0,R1,Q2",
        "LDR R99,[R1]",
    ],
)
def test_wrong_operands_are_refused(code: str) -> None:
    with pytest.raises(InputError):
        thread(code)


def test_the_address_of_a_missing_label_is_refused_where_it_is_mentioned() -> None:
    with pytest.raises(InputError, match="no label foo") as refused:
        thread("BX R0\nbar:", "0:R0=P0:foo")
    assert refused.value.span is not None
    assert (refused.value.span.line, refused.value.span.column) == (2, 11)
