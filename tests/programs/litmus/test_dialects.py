"""Finding a file's dialect, and reading whole files robustly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.seeds import conclusive, generator

from treville.models.library import MODELS
from treville.programs.litmus import _READERS, _SPELLINGS, DIALECTS, dialect_of, layout, parse
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, TrevilleError, Unsupported

SEEDS = (
    'X86 SB\n"Fre PodWR"\nCom=Fr Fr\n{ x=0; 0:EAX=1; }\n P0 | P1 ;\n MOV [x],$1 | XCHG EAX,[y] ;\n'
    "L0: MOV EAX,[y] | LOCK INC [x] ;\n CMP EAX,$1 | MFENCE ;\n JNE L0 | ;\n"
    "locations [x;] exists (0:EAX=0 /\\ ~1:EAX=0)",
    "X86_64 t\n{ int64_t t[2]={1,-1}; 0:rax=t; }\n P0 ;\n movq 8(%rax),%rcx ;\n xaddl %ebx,(x) ;\n"
    "forall 0:rcx=-1",
    "PPC t\n{ 0:r2=x; 0:r4=y; }\n P0 ;\n Loop: lwarx r1,r0,r2 ;\n addi r1,r1,1 ;\n"
    " stwcx. r1,r0,r2 ;\n bne Loop ;\n cmpw r1,r1 ;\n beq L ;\n L: isync ;\n"
    " rlwinm r3,r1,2,0,29 ;\n stw r3,0(r4) ;\nexists (y=4)",
    "ARM t\n{ %x0=x; 0:R1=x; int z[2]={1,2}; 0:R5=z; }\n P0 ;\n LDREX R0,[R1] ;\n STREX R3,R0,[%x0] ;\n"
    " CMP R3,#0 ;\n STRNE R0,[R1,R2,LSL #2] ;\n LDMIA R5!,{R6-R7} ;\n DMB ISH ;\nexists (0:R3=0)",
)
FRAGMENTS = (
    "(*", "*)", "{", "}", '"', "|", ";", "exists", "~exists", "forall", "locations [", "0:", "P9:r1", "=",
    "/\\", "(", ")", "not", "-1", "0xffffffffffffffffffff", "%q", "[x]", "&", "*", "<<", 'label:"q"',
    "9" * 50, "\x00", "é", "[", "#", "$", "LOCK", "{R1-R99}", "!", "[R0],#4", ",", "0(r1)", "stwcx.",
    "int x[2]={1,2};", "%", "\n", "02:",
)  # fmt: skip


@pytest.mark.parametrize(
    ("first", "program", "dialect"),
    [
        ("X86", "P0 ;", "X86"),
        ("x86_64", "P0 ;", "X86_64"),
        ("AARCH64", "P0 ;", "AArch64"),
        ("RISCV", "P0 ;", "RISCV"),
        ("C", "P0(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed); }", "C"),
        ("C", "P0(int *x) { WRITE_ONCE(*x, 1); smp_mb(); }", "LKMM"),
        ("C", "P0(spinlock_t *l) { spin_lock(l); }", "LKMM"),
        ("C", "P0(int *x) { *x = 1; }", "C"),
    ],
)
def test_the_dialect_follows_from_the_first_word_and_in_c_from_the_program(
    first: str, program: str, dialect: str
) -> None:
    found = dialect_of(layout.split(f"{first} t\n{{}}\n{program}\nexists (x=1)", "t.litmus"))
    assert found == dialect
    assert found in DIALECTS


def test_every_dialect_has_a_reader_a_first_word_and_a_model() -> None:
    elsewhere = {"PTS"}  # has a front end of its own
    assert set(_READERS) == set(DIALECTS) - elsewhere
    assert {*_SPELLINGS.values(), "LKMM"} == set(_READERS)  # which is C by its first word
    assert set(DIALECTS.values()) <= set(MODELS)


def test_unknown_dialects_are_refused_and_known_ones_of_others_are_named_unsupported() -> None:
    with pytest.raises(InputError, match="unknown litmus dialect"):
        parse("Z80 t\n{}\nP0 ;\nexists (x=1)", "t")
    with pytest.raises(Unsupported, match="LISA"):
        parse("LISA t\n{}\nP0 ;\nexists (x=1)", "t")


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_the_seeds_are_valid(seed: int) -> None:
    assert parse(SEEDS[seed], "seed.litmus").observed


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_mutated_files_end_in_a_test_or_a_located_error(seed: int) -> None:
    choose = generator(seed)
    refused = 0
    for _ in range(300):
        text = SEEDS[seed]
        for _ in range(choose.randint(1, 4)):
            at = choose.randrange(len(text) + 1)
            if choose.random() < 0.4:
                text = text[:at] + text[at + choose.randint(1, 8) :]
            else:
                text = text[:at] + choose.choice(FRAGMENTS) * choose.choice((1, 1, 300)) + text[at:]
        refused += is_refused(text)
    assert conclusive(0 < refused < 300)


def is_refused(text: str) -> bool:
    """Does reading end in an error with a place? Any other exception fails the test."""
    try:
        parse(text, "mutated.litmus")
    except InputError as error:
        return error.span is not None
    return False


@pytest.mark.parametrize("family", ["X86", "X86_64", "PPC", "ARM"])
def test_the_corpus_is_read_except_what_is_refused_by_name(family: str, corpus: Path) -> None:
    files = sorted((corpus / family).rglob("*.litmus"))
    assert len(files) > 20
    refused: dict[str, str] = {}
    for file in files[:: max(1, len(files) // 300)]:
        try:
            parse(file.read_text(errors="replace"), file.name)
        except TrevilleError as error:
            refused[file.name] = str(error)
    assert set(refused) <= {"SB-labelled.litmus", "IllegalJump.litmus", "A017.litmus", "A027.litmus"}


@pytest.mark.parametrize(
    "results", ["X86-sc", "X86-x86tso", "X86_64-x86tso-mixed", "PPC-sc", "PPC-ppc", "ARM-arm"]
)
def test_running_threads_one_after_another_ends_in_an_expected_state(
    results: str, corpus: Path, sequential: Callable[[LitmusTest], dict[str, str]]
) -> None:
    """Such a run is sequentially consistent, so every model allows it."""
    rows = [json.loads(line) for line in (corpus / "expected" / f"{results}.jsonl").read_text().splitlines()]
    checked = 0
    for row in rows[:: max(1, len(rows) // 250)]:
        if row["observation"] == "error" or not row["states"]:
            continue
        test = parse((corpus / row["file"]).read_text(errors="replace"), row["file"])
        expected = [
            {name.strip().strip("[]"): value for name, sign, value in map(_halves, state.split(";")) if sign}
            for state in row["states"]
        ]
        assert sequential(test) in expected, row["file"]
        checked += 1
    assert checked >= 20


def _halves(assignment: str) -> tuple[str, str, str]:
    return assignment.partition("=")
