"""The AArch64 model on classic tests: barriers, acquire and release, dependencies, atomics, picks."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import Outcomes, outcomes


def run(condition: str, *threads: str, model: str = "aarch64", initial: str = "") -> Outcomes:
    """The outcomes of a test whose threads share x, y, z; their addresses are in X20, X21, X22."""
    columns = [thread.split(";") for thread in threads]
    rows = [[f"P{i}" for i in range(len(threads))], *map(list, zip_longest(*columns, fillvalue=""))]
    table = " ;\n".join(" | ".join(row) for row in rows)
    start = " ".join(f"{i}:X20=x; {i}:X21=y; {i}:X22=z;" for i in range(len(threads)))
    text = f"AArch64 t\n{{ {initial} {start} }}\n{table} ;\nexists ({condition})\n"
    return outcomes(parse(text, "t.litmus"), load_model(model))


def allowed(condition: str, *threads: str, model: str = "aarch64", initial: str = "") -> bool:
    """Can the condition be seen?"""
    return run(condition, *threads, model=model, initial=initial).observation != "Never"


STALE = "1:X0=1 /\\ 1:X1=0"
WRITER = "MOV W9,#1; STR W9,[X20]; {} STR W9,[X21]"
READER = "LDR W0,[X21]; {} LDR W1,[X20]"
RELEASED = "MOV W9,#1; STR W9,[X20]; STLR W9,[X21]"


@pytest.mark.parametrize(
    ("between_writes", "between_reads", "seen"),
    [
        ("", "", True),
        ("DMB SY;", "DMB SY;", False),
        ("DMB ISH;", "DMB OSH;", False),
        ("DMB ST;", "DMB LD;", False),
        ("DMB ST;", "DMB ST;", True),
        ("DMB LD;", "DMB LD;", True),
        ("DSB ST;", "DSB LD;", False),
        ("DMB ST;", "ISB;", True),
        ("DMB ST;", "CBNZ W0,L; L:;", True),
        ("DMB ST;", "CBNZ W0,L; L: ISB;", False),
        ("DMB ST;", "EOR W2,W0,W0; ADD X20,X20,W2,SXTW;", False),
        ("DMB ST;", "EOR W2,W0,W0; LDR W3,[X22,W2,SXTW]; ISB;", False),
    ],
)
def test_message_passing(between_writes: str, between_reads: str, seen: bool) -> None:
    assert allowed(STALE, WRITER.format(between_writes), READER.format(between_reads)) is seen


def test_store_completion_orders_later_reads_too() -> None:
    thread = "MOV W9,#1; STR W9,[{}]; {} ST; LDR W0,[{}]"
    both = "0:X0=0 /\\ 1:X0=0"
    assert not allowed(both, thread.format("X20", "DSB", "X21"), thread.format("X21", "DSB", "X20"))
    assert allowed(both, thread.format("X20", "DMB", "X21"), thread.format("X21", "DMB", "X20"))


def test_acquire_and_release() -> None:
    assert not allowed(STALE, RELEASED, "LDAR W0,[X21]; LDR W1,[X20]")
    assert not allowed(STALE, RELEASED, "LDAPR W0,[X21]; LDR W1,[X20]")
    assert allowed(STALE, RELEASED, "LDR W0,[X21]; LDAR W1,[X20]")
    buffer = "MOV W9,#1; STLR W9,[{}]; {} W0,[{}]"
    both = "0:X0=0 /\\ 1:X0=0"
    assert not allowed(both, buffer.format("X20", "LDAR", "X21"), buffer.format("X21", "LDAR", "X20"))
    assert allowed(both, buffer.format("X20", "LDAPR", "X21"), buffer.format("X21", "LDAPR", "X20"))


def test_an_acquire_that_returns_nothing_acquires_nothing() -> None:
    swap = "MOV W4,#2; {} W4,{},[X21]; LDR W0,[X20]"
    seen = "y=2 /\\ 1:X0=0"
    assert not allowed(seen, RELEASED, swap.format("SWPA", "W2"))
    assert allowed(seen, RELEASED, swap.format("SWPA", "WZR"))
    assert allowed(seen, RELEASED, swap.format("SWP", "W2"))


def test_an_atomic_with_acquire_and_release_is_a_barrier_for_what_follows() -> None:
    thread = "MOV W9,#1; STR W9,[{}]; {} W9,W3,[X22]; LDR W0,[{}]"
    both = "0:X0=0 /\\ 1:X0=0"
    assert not allowed(both, thread.format("X20", "SWPAL", "X21"), thread.format("X21", "SWPAL", "X20"))
    assert allowed(both, thread.format("X20", "SWPL", "X21"), thread.format("X21", "SWPL", "X20"))


def test_increments_are_not_lost() -> None:
    for increment in ("MOV W9,#1; LDADD W9,W0,[X20]", "LDXR W0,[X20]; ADD W9,W0,#1; STXR W2,W9,[X20]"):
        assert not allowed("0:X0=0 /\\ 1:X0=0 /\\ 0:X2=0 /\\ 1:X2=0", increment, increment)


def test_the_status_of_a_store_exclusive_carries_no_dependency() -> None:
    sender = "LDXR W3,[X20]; MOV W9,#1; STXR W2,W9,[X20]; {} STR W4,[X21]"
    receiver = "LDR W0,[X21]; DMB SY; LDR W1,[X20]"
    seen = "0:X2=0 /\\ 1:X0=1 /\\ 1:X1=0"
    assert allowed(seen, sender.format("ADD W4,W2,#1;"), receiver)
    assert not allowed(seen, sender.format("MOV W4,#1; DMB ST;"), receiver)


LOAD_BUFFERING = "0:X0=1 /\\ 1:X0=1"
RELEASING_READER = "LDR W0,[X21]; MOV W9,#1; STLR W9,[X20]"


@pytest.mark.parametrize(
    ("between", "seen"),
    [
        ("MOV W9,#1;", True),
        ("EOR W9,W0,W0; ADD W9,W9,#1;", False),
        ("CBNZ W0,L; L: MOV W9,#1;", False),
        ("MOV W7,#1; CMP W0,#1; CSEL W9,W7,W7,EQ;", False),
        ("MOV W7,#1; CMP W0,#1; CSEL W9,W7,W7,EQ; STR W9,[X22]; LDR W8,[X22]; ADD W9,W8,#0;", False),
        ("MOV W9,#1; CMP W0,#1; CSEL W8,W9,W9,EQ; STR W8,[X22];", True),
        ("MOV W9,#1; CMP W0,#1; CSEL X8,X22,X22,EQ; STR W9,[X8];", False),
    ],
)
def test_load_buffering(between: str, seen: bool) -> None:
    assert allowed(LOAD_BUFFERING, f"LDR W0,[X20]; {between} STR W9,[X21]", RELEASING_READER) is seen


def test_a_pick_dependency_does_not_order_reads() -> None:
    reader = "LDR W0,[X21]; CMP W0,#1; CSEL X3,X20,X22,EQ; {} LDR W1,[X3]"
    assert allowed(STALE, RELEASED, reader.format(""))
    assert not allowed(STALE, RELEASED, reader.format("CBNZ W0,L; L: ISB;"))


def test_data_dependencies_pass_through_the_own_memory_but_control_dependencies_do_not() -> None:
    reader = "LDR W0,[X21]; {} STR W2,[X22]; LDAR W3,[X22]; LDR W1,[X20]"
    assert not allowed(STALE, RELEASED, reader.format("EOR W2,W0,W0;"))
    assert allowed(STALE, RELEASED, reader.format("CBNZ W0,L; L: MOV W2,#1;"))


def test_what_a_failed_compare_and_swap_writes_back_depends_on_what_it_read() -> None:
    # The second read of y may be served by the write-back; its address dependency reaches back to the first.
    reader = "MOV W5,#7; CAS W5,W6,[X21]; LDR W0,[X21]; EOR W2,W0,W0; LDR W1,[X20,W2,SXTW]"
    assert not allowed(STALE, RELEASED, reader)
    swapping = "SWP W5,W6,[X21]; LDR W0,[X21]; EOR W2,W0,W0; LDR W1,[X20,W2,SXTW]"
    assert allowed("1:X6=1 /\\ 1:X0=7 /\\ 1:X1=0", RELEASED, "MOV W5,#7; " + swapping)


def test_compare_and_swap_behaves_in_two_ways_on_success_and_in_three_on_failure() -> None:
    answer = run("0:X0=0", "MOV W9,#1; STR W9,[X20]", "CAS W0,W1,[X20]")
    assert (answer.positive, answer.negative) == (5, 0)


def test_independent_reads_of_independent_writes_need_order_between_the_reads() -> None:
    readers = ["LDR W0,[X20]; {} LDR W1,[X21]", "LDR W0,[X21]; {} LDR W1,[X20]"]
    writers = ["MOV W9,#1; STR W9,[X20]", "MOV W9,#1; STR W9,[X21]"]
    seen = "2:X0=1 /\\ 2:X1=0 /\\ 3:X0=1 /\\ 3:X1=0"
    assert allowed(seen, *writers, *(reader.format("") for reader in readers))
    assert not allowed(seen, *writers, *(reader.format("DMB LD;") for reader in readers))


OWN = """catdep
include "aarch64hwreqs.cat"
include "enumerations.cat"
with TLBI-after from (all-TLBI-Imp_TTD_R-enums local-hw-reqs)
let haz-ob = [R]; (po & same-loc); [R]; (ca & ext); [W]
let obs = (rf & ext | ca & ext | TLBI-after); sca-class?
let rec ob = local-hw-reqs | haz-ob | obs | ob; ob
irreflexive ob as external
irreflexive [R]; ((po & same-loc) | rmw); [W]; rfi; [R] as coRW1
irreflexive [W]; (po & same-loc); [W]; (ca & int); [W] as coWW
irreflexive [W]; (po & same-loc); [R]; (ca & int); [W] as coWR
empty (rmw & (fr; co)) \\ (fri; [W]; coi) as atomic
"""


@pytest.mark.parametrize(
    "between",
    ["", "DMB LD;", "CBNZ W0,L; L: ISB;", "EOR W2,W0,W0; ADD X20,X20,W2,SXTW;", "SWPAL W8,W9,[X22];",
     "CMP W0,#1; CSEL X20,X20,X20,EQ;", "EOR W2,W0,W0; STR W2,[X22]; LDAR W3,[X22];"],
)  # fmt: skip
def test_a_model_built_from_the_library_files_agrees(between: str, tmp_path: Path) -> None:
    own = tmp_path / "own.cat"
    own.write_text(OWN)
    reader = READER.format(between)
    assert allowed(STALE, RELEASED, reader, model=str(own)) is allowed(STALE, RELEASED, reader)
    writer = f"LDR W0,[X20]; {between} STR W0,[X21]"
    assert allowed("x=1 /\\ 0:X0=1", writer, RELEASING_READER, model=str(own)) is allowed(
        "x=1 /\\ 0:X0=1", writer, RELEASING_READER
    )
