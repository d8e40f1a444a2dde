"""AArch64 instructions: what each computes, which events it makes, and what is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.programs.litmus.one_thread import one_thread, only_final_state

from treville.models.library import load_model
from treville.programs.ir import Fence, Load, Store, StoreExclusive
from treville.programs.litmus import parse
from treville.programs.litmus.aarch64.reader import _handlers
from treville.programs.litmus.states import state_fields
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import InputError, TrevilleError, Unsupported


def read(program: str, initial: str = "", condition: str = "forall true") -> LitmusTest:
    return one_thread("AArch64", program, initial, condition)


def final(program: str, initial: str, observed: str) -> list[str]:
    return only_final_state(read(program, initial, f"locations [{observed}]"), "aarch64")


ARITHMETIC = [
    ("MOV X0,#-1", "-1"),
    ("MOV W0,#-1", "4294967295"),
    ("MOVZ X0,#42,LSL #32", str(42 << 32)),
    ("MOVN X0,#0", "-1"),
    ("MOV X0,#1; MOVK X0,#1,LSL #48", str((1 << 48) + 1)),
    ("MOV X1,#5; ADD X0,X1,#1,LSL #12", str(5 + 4096)),
    ("MOV W1,#1; SUB W0,WZR,W1", "4294967295"),
    ("MOV X1,#1; SUB X0,XZR,X1", "-1"),
    ("MOV X1,#255; ADD X0,XZR,W1,SXTB 2", "-4"),
    ("MOV X1,#6; NEG X0,X1,LSL 2", "-24"),
    ("MOV X1,#-7; ABS X0,X1", "7"),
    ("MOV X1,#12; AND X0,X1,#10", "8"),
    ("MOV X1,#12; BIC X0,X1,#10", "4"),
    ("MOV X1,#12; ORN X0,X1,X1", "-1"),
    ("MOV X1,#12; EON X0,X1,X1", "-1"),
    ("MOV X1,#12; MVN W0,W1", str(0xFFFFFFFF - 12)),
    ("MOV X1,#-256; ASR X0,X1,#2", "-64"),
    ("MOV X1,#-1; LSR X0,X1,#60", "15"),
    ("MOV X1,#1; MOV X2,#65; LSL X0,X1,X2", "2"),
    ("MOV X1,#1; ROR W0,W1,#1", str(1 << 31)),
    ("MOV X1,#0xF0; UBFM X0,X1,#4,#7", "15"),
    ("MOV X1,#0xF0; SBFM X0,X1,#4,#7", "-1"),
    ("MOV X1,#0xFE; UBFM W0,W1,#4,#2", str(0x60000000)),
    ("MOV X1,#0xAB; UBFX X0,X1,#4,#4", "10"),
    ("MOV X1,#3; UBFIZ X0,X1,#4,#2", "48"),
    ("MOV X0,#0xFF; MOV X1,#0; BFI X0,X1,#4,#2", str(0xCF)),
    ("MOV X1,#0x87654321; RBIT W0,W1", str(0x84C2A6E1)),
    ("MOV X1,#0x87654321; REV W0,W1", str(0x21436587)),
    ("MOV X1,#0x87654321; REV16 W0,W1", str(0x65872143)),
    ("MOV X1,#1; CLZ W0,W1", "31"),
    ("MOV W1,#-1; SXTW X0,W1", "-1"),
    ("MOV W1,#-1; MOV X0,X1", "4294967295"),
    ("MOV X1,#7; MOV X2,#3; MUL X0,X1,X2", "21"),
    ("MOV X1,#7; MOV X2,#3; MADD X0,X1,X2,X2", "24"),
    ("MOV X1,#7; MOV X2,#3; MSUB X0,X1,X2,XZR", "-21"),
    ("MOV W1,#-1; SMULL X0,W1,W1", "1"),
    ("MOV W1,#-1; UMULL X0,W1,W1", str(0xFFFFFFFF**2 - (1 << 64))),
    ("MOV X1,#-7; MOV X2,#2; SDIV X0,X1,X2", "-3"),
    ("MOV X1,#7; UDIV X0,X1,XZR", "0"),
    ("MOV X1,#-1; MOV X2,#2; SMULH X0,X1,X2", "-1"),
    ("MOV X1,#-1; MOV X2,#2; UMULH X0,X1,X2", "1"),
    ("MOV X1,#1; MOV X2,#0x10; EXTR W0,W1,W2,#4", str((1 << 28) + 1)),
    ("MOV X1,#7; CMP X1,#7; ADC X0,X1,X1", "15"),
    ("MOV X1,#7; CMP X1,#8; SBC X0,X1,XZR", "6"),
]


@pytest.mark.parametrize(("program", "value"), ARITHMETIC)
def test_an_instruction_computes_its_value(program: str, value: str) -> None:
    assert final(program, "int64_t 0:X0;", "0:X0;") == [value]


FLAGS = [
    ("CMP W1,W2", "2", "3", "1000"),
    ("CMP W1,W2", "3", "2", "0010"),
    ("CMP W1,W2", "2", "2", "0110"),
    ("CMP W1,W2", "2147483647", "-2", "1001"),
    ("CMP W1,W2", "-2147483648", "3", "0011"),
    ("ADDS X0,X1,X2", "-2", "5", "0010"),
    ("ADDS X0,X1,X2", "0x7fffffffffffffff", "1", "1001"),
    ("ADDS W0,W1,W2", "-1", "1", "0110"),
    ("ANDS X0,X1,X2", "3", "-4", "0100"),
    ("BICS W0,W1,W2", "-3", "10", "1000"),
    ("TST W1,W2", "1", "1", "0000"),
    ("CMN W1,W2", "-1", "1", "0110"),
]


@pytest.mark.parametrize(("program", "left", "right", "flags"), FLAGS)
def test_flags_are_set(program: str, left: str, right: str, flags: str) -> None:
    sets = "; ".join(f"CSET W{3 + i},{code}" for i, code in enumerate(("MI", "EQ", "CS", "VS")))
    values = final(
        f"{program}; {sets}", f"int64_t 0:X1={left}; int64_t 0:X2={right};", "0:X3; 0:X4; 0:X5; 0:X6;"
    )
    assert "".join(values) == flags


def test_flags_can_be_read_and_written_as_a_register() -> None:
    assert final("CMP W1,#0; MRS X0,NZCV; LSR X0,X0,28", "uint64_t 0:X0;", "0:X0;") == ["6"]
    assert final("CMP W1,#0; MSR NZCV,XZR; CSET W0,EQ", "", "0:X0;") == ["0"]


@pytest.mark.parametrize(
    ("code", "taken"),
    [
        ("EQ", "0"), ("NE", "1"), ("GE", "0"), ("LT", "1"), ("GT", "0"), ("LE", "1"), ("HI", "0"),
        ("LS", "1"), ("CS", "0"), ("CC", "1"), ("MI", "1"), ("PL", "0"), ("VS", "0"), ("VC", "1"),
        ("AL", "1"),
    ],
)  # fmt: skip
def test_conditions_of_one_compared_with_two(code: str, taken: str) -> None:
    assert final(f"CMP W1,#2; CSET W0,{code}", "0:X1=1;", "0:X0;") == [taken]
    assert final(f"CMP W1,#2; B.{code} yes; B no; yes: MOV W0,#1; no: NOP", "0:X1=1;", "0:X0;") == [taken]


def test_conditional_selects_choose() -> None:
    selects = "CMP W1,#2; CSEL X2,X1,X3,EQ; CSINC X4,X1,X3,EQ; CSINV X5,X1,X3,EQ; CSNEG X6,X1,X3,EQ"
    observed = "0:X2; 0:X4; 0:X5; 0:X6;"
    assert final(selects, "0:X1=2; 0:X3=7;", observed) == ["2", "2", "2", "2"]
    assert final(selects, "0:X1=1; 0:X3=7;", observed) == ["7", "8", "-8", "-7"]


@pytest.mark.parametrize(
    ("program", "values"),
    [
        ("LDR W0,[X1]", ["1", "t"]),
        ("LDR W0,[X1,#4]", ["2", "t"]),
        ("LDR W0,[X1],#4", ["1", "t[1]"]),
        ("LDR W0,[X1,#4]!", ["2", "t[1]"]),
        ("MOV W2,#4; LDR W0,[X1,W2,SXTW]", ["2", "t"]),
        ("MOV X2,#1; LDR W0,[X1,X2,LSL #2]", ["2", "t"]),
        ("MOV X2,#8; LDR W0,[X1,X2]", ["-3", "t"]),
        ("LDUR W0,[X1,#8]", ["-3", "t"]),
        ("LDP W2,W0,[X1]", ["2", "t"]),
        ("LDP W2,W0,[X1],#8", ["2", "t[2]"]),
        ("LDP W2,W0,[X1,#4]!", ["-3", "t[1]"]),
        ("MOV W2,#9; STR W2,[X1,#4]!; LDR W0,[X1]", ["9", "t[1]"]),
        ("MOV W2,#9; STP W2,W2,[X1],#8; LDR W0,[X1,#-4]!", ["9", "t[1]"]),
    ],
)
def test_addresses_and_their_updates(program: str, values: list[str]) -> None:
    assert final(program, "int t[3]={1,2,-3}; 0:X1=t;", "0:X0; 0:X1;") == values


@pytest.mark.parametrize(
    ("program", "values"),
    [
        ("LDRB W0,[X1]", ["255", "-1"]),
        ("LDRSB W0,[X1]", ["4294967295", "-1"]),
        ("LDRSB X0,[X1]", ["-1", "-1"]),
        ("MOV W2,#300; STRB W2,[X1]; LDRB W0,[X1]", ["44", "44"]),
        ("MOV W2,#1; LDADDB W2,W0,[X1]", ["255", "0"]),
    ],
)
def test_bytes_are_extended_and_cut(program: str, values: list[str]) -> None:
    assert final(program, "int8_t b=-1; 0:X1=b; int64_t 0:X0;", "0:X0; b;") == values


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("SWP W2,W3,[X1]", "12", "10"),
        ("LDADD W2,W3,[X1]", "12", "22"),
        ("LDCLR W2,W3,[X1]", "12", "4"),
        ("LDEOR W2,W3,[X1]", "12", "6"),
        ("LDSET W2,W3,[X1]", "12", "14"),
        ("LDSMAX W2,W3,[X1]", "12", "12"),
        ("LDUMINAL W2,W3,[X1]", "12", "10"),
        ("STADD W2,[X1]", "0", "22"),
        ("SWP W2,WZR,[X1]", "0", "10"),
    ],
)
def test_single_atomic_instructions(instruction: str, old: str, new: str) -> None:
    assert final(instruction, "x=12; 0:X1=x; 0:X2=10;", "0:X3; x;") == [old, new]


def test_an_atomic_instruction_may_name_one_register_twice() -> None:
    assert final("LDADD W2,W2,[X1]", "x=12; 0:X1=x; 0:X2=10;", "0:X2; x;") == ["12", "22"]


def test_compare_and_swap_succeeds_or_keeps_the_old_value() -> None:
    assert final("CAS W2,W3,[X1]", "x=5; 0:X1=x; 0:X2=5; 0:X3=6;", "0:X2; x;") == ["5", "6"]
    assert final("CAS W2,W3,[X1]", "x=4; 0:X1=x; 0:X2=5; 0:X3=6;", "0:X2; x;") == ["4", "4"]
    pair = "CASP W2,W3,W4,W5,[X1]"
    start = "int t[2]={1,2}; 0:X1=t; 0:X4=8; 0:X5=9; 0:X2=1;"
    assert final(pair, start + "0:X3=2;", "t; 0:X2; 0:X3;") == ["1", "2", "{8,9}"]
    assert final(pair, start + "0:X3=3;", "t; 0:X2; 0:X3;") == ["1", "2", "{1,2}"]


def test_annotations_become_tags() -> None:
    test = read(
        "LDAR W0,[X1]; LDAPR W0,[X1]; STLR W0,[X1]; LDAXR W0,[X1]; STLXR W2,W0,[X1]; SWPAL W0,W3,[X1];"
        "SWPA W0,WZR,[X1]; DMB ISHST; DSB SY; ISB",
        "0:X1=x;",
    )
    tags = [
        set(i.tags)
        for i in test.program.threads[0].instructions
        if isinstance(i, (Load, Store, StoreExclusive, Fence))
    ]
    assert tags == [
        {"A"}, {"Q"}, {"L"}, {"X", "EX", "A"}, {"X", "EX", "L"}, {"X", "A"}, {"X", "L"}, {"X", "NoRet"},
        {"X"}, {"DMB.ISHST"}, {"DSB.SY"}, {"ISB"},
    ]  # fmt: skip


def test_exclusives_pair_only_at_the_same_address_and_once() -> None:
    def states(program: str) -> set[str]:
        test = read(program, "x=1; y=2; 0:X0=x; 0:X2=y; 0:X3=3;", "locations [0:X4; 0:X5; x; y;]")
        found = outcomes(test, load_model("aarch64")).states
        return {" ".join(value for _, value in state_fields(test, state)) for state in found}

    assert states("LDXR W1,[X0]; STXR W4,W3,[X0]") == {"0 0 3 2", "1 0 1 2"}
    assert states("LDXR W1,[X0]; STXR W4,W3,[X2]") == {"1 0 1 2"}
    assert states("LDXR W1,[X0]; STXR W4,W3,[X0]; STXR W5,W3,[X0]") == {"0 1 3 2", "1 1 1 2"}
    assert states("STXR W4,W3,[X0]") == {"1 0 1 2"}


def test_subroutines_return_and_threads_run_each_others_code() -> None:
    text = """AArch64 calls
{ 0:X8=P1:Ldec; 1:X1=P0:Linc; }
  P0          | P1           ;
 MOV W9,#4    | MOV W9,#4    ;
 BLR X8       | BLR X1       ;
 BL Linc      | BLR X1       ;
 BL Linc      | MOV W0,W9    ;
 MOV W0,W9    | B Lone       ;
 B Lzero      |Ldec:         ;
Linc:         | SUB W9,W9,#1 ;
 ADD W9,W9,#1 | RET          ;
 RET          |Lone:         ;
Lzero:        |              ;
forall 0:X0=5 /\\ 1:X0=6
"""
    assert outcomes(parse(text, "calls.litmus"), load_model("aarch64")).observation == "Always"


def test_code_addresses_are_shown_as_labels() -> None:
    assert final("BL L0; L0: ADR X1,L0", "", "0:X30; 0:X1;") == ['label:"P0:L0"', 'label:"P0:L0"']


def test_relative_branches_count_bytes() -> None:
    assert final("B .+8; MOV W0,#1; ADD W0,W0,#2", "", "0:X0;") == ["2"]
    assert final("ADD W1,W1,#2; SUBS W0,W0,#1; B.GT .-8", "0:X0=2;", "0:X1;") == ["4"]


@pytest.mark.parametrize(
    ("program", "line", "column"),
    [
        ("MOV W0,#1; FROB X1,X2", 4, 13),
        ("STG X0,[X1]", 4, 2),
        ("MRS X0,ELR_EL1", 4, 2),
        ("DC CVAU,X1", 4, 2),
    ],
)
def test_other_instructions_are_refused_with_their_place(program: str, line: int, column: int) -> None:
    with pytest.raises(Unsupported) as refusal:
        read(program)
    span = refusal.value.span
    assert span is not None
    assert (span.line, span.column) == (line, column)


@pytest.mark.parametrize(
    "program",
    ["LDR W0", "LDR W0,X1", "MOV W0", "ADD W0,W1", "CSEL W0,W1,W2,XX", "B", "TBZ W0,#40,L", "DMB XX",
     "CBZ W0,Z", "MOV Q0,#1", "LDR W0,[X1,#4]!,#4",
     "UBFM W0,W1,#40,#2", "STXR W0,W1", "LSL W0,W1,#", "ADD X0,X1,X2,LSL #70"],
)  # fmt: skip
def test_wrong_operands_are_located_errors(program: str) -> None:
    with pytest.raises(InputError) as problem:
        read(program)
    assert problem.value.span is not None


def test_mixed_sizes_and_other_variants_are_refused() -> None:
    with pytest.raises(Unsupported, match="mixed sizes"):
        read("LDRB W0,[X1]", "int x; 0:X1=x;")
    with pytest.raises(Unsupported, match="memtag"):
        parse("AArch64 t\nVariant=memtag\n{}\n P0 ;\n NOP ;\nforall true\n", "t.litmus")


def test_all_mnemonics_of_the_corpus_are_known_or_refused_on_purpose(corpus: Path) -> None:
    refused = {"TLBI", "DC", "IC", "AT", "LDG", "STG", "STZG", "ALIGND", "ALIGNU", "UDF", "SVC"}
    refused |= {"LDAP", "STLP", "FICTIONAL_INSTRUCTION"}
    lines = (corpus / "AARCH64" / "mnemonics.txt").read_text().splitlines()
    names = {line.split()[0] for line in lines if line and line[0] not in "#<"}
    assert len(names) > 100
    assert {name for name in names if name.lower() not in _handlers()} == refused


@pytest.mark.parametrize(
    "text", ["LDR W0,[", "[", "!", "MOV W99,#1", "ADD ,,,", "LDR W0,[X1,W2,FOO]", "#", "B .+x"]
)
def test_broken_lines_end_in_errors_of_treville(text: str) -> None:
    with pytest.raises(TrevilleError):
        read(text)
