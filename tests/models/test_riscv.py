"""The RISC-V model on classic tests: one per rule of its preserved program order, and its axioms."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes


def allowed(condition: str, *threads: str, model: str = "riscv") -> bool:
    """Can the condition be seen? Threads share x, y, z, whose addresses are in s0, s1, s2."""
    columns = [thread.split(";") for thread in threads]
    rows = [[f"P{i}" for i in range(len(threads))], *map(list, zip_longest(*columns, fillvalue=""))]
    table = " ;\n".join(" | ".join(row) for row in rows)
    initial = " ".join(f"{i}:s0=x; {i}:s1=y; {i}:s2=z;" for i in range(len(threads)))
    text = f"RISCV t\n{{ {initial} }}\n{table} ;\nexists ({condition})\n"
    return outcomes(parse(text, "t.litmus"), load_model(model)).observation != "Never"


STALE = "1:a0=1 /\\ 1:a1=0"
WRITER = "li t0,1; sw t0,0(s0); {} li t1,1; sw t1,0(s1)"
READER = "lw a0,0(s1); {} lw a1,0(s0)"


@pytest.mark.parametrize(
    ("between_writes", "between_reads", "seen"),
    [
        ("", "", True),
        ("fence rw,rw;", "fence rw,rw;", False),
        ("fence w,w;", "fence r,r;", False),
        ("fence w,w;", "", True),
        ("fence r,r;", "fence r,r;", True),
        ("fence.tso;", "fence.tso;", False),
        ("fence rw,w;", "fence r,rw;", False),
        ("fence rw,w;", "fence.i;", True),
        ("fence w,w;", "xor t2,a0,a0; add s0,s0,t2;", False),
        ("fence w,w;", "bne a0,x0,L; L: fence.i;", True),
        ("fence w,w;", "fence w,r;", True),
    ],
)
def test_message_passing(between_writes: str, between_reads: str, seen: bool) -> None:
    assert allowed(STALE, WRITER.format(between_writes), READER.format(between_reads)) is seen


def test_annotations_order_one_way() -> None:
    released = "li t0,1; sw t0,0(s0); li t1,1; sw.rl t1,0(s1)"
    assert not allowed(STALE, released, "lw.aq a0,0(s1); lw a1,0(s0)")
    assert allowed(STALE, released, "lw a0,0(s1); lw.aq a1,0(s0)")
    assert not allowed(STALE, released, "lr.w.aq a0,(s1); lw a1,0(s0)")


def test_store_buffering_needs_a_full_fence() -> None:
    thread = "li t0,1; sw t0,0({}); {} lw a0,0({})"
    both = "0:a0=0 /\\ 1:a0=0"
    assert allowed(both, thread.format("s0", "fence.tso;", "s1"), thread.format("s1", "fence.tso;", "s0"))
    assert not allowed(both, thread.format("s0", "fence;", "s1"), thread.format("s1", "fence;", "s0"))


def test_strong_annotations_of_atomics_order_a_release_with_a_later_acquire() -> None:
    swap = "li t0,1; amoswap.w.rl t1,t0,({}); amoadd.w.aq a0,x0,({})"
    assert not allowed("0:a0=0 /\\ 1:a0=0", swap.format("s0", "s1"), swap.format("s1", "s0"))
    plain = "li t0,1; sw.rl t0,0({}); lw.aq a0,0({})"
    assert allowed("0:a0=0 /\\ 1:a0=0", plain.format("s0", "s1"), plain.format("s1", "s0"))


def test_an_atomic_operation_is_one_operation() -> None:
    # fence w,w orders the write half, the acquire orders what follows the read half: both are one.
    writer = "li t0,1; sw t0,0(s0); fence w,w; amoswap.w.aq t1,t0,(s2); lw a1,0(s1)"
    assert not allowed("0:a1=0 /\\ 1:a1=0", writer, "li t0,1; sw t0,0(s1); fence; lw a1,0(s0)")


def test_atomic_increments_are_not_lost() -> None:
    increment = "li t0,1; amoadd.w a0,t0,(s0)"
    assert not allowed("0:a0=0 /\\ 1:a0=0", increment, increment)
    exclusive = "lr.w a0,(s0); addi t0,a0,1; sc.w t1,t0,(s0)"
    assert not allowed("0:a0=0 /\\ 1:a0=0 /\\ 0:t1=0 /\\ 1:t1=0", exclusive, exclusive)
    assert allowed("x=2", exclusive, exclusive)


def test_the_result_of_a_store_conditional_depends_on_its_write() -> None:
    # Rules 9 to 11 start at the store conditional where its result register is used.
    sender = "lr.w t2,(s0); li t0,1; sc.w t1,t0,(s0); {} sw t3,0(s1)"
    receiver = "lw a0,0(s1); fence; lw a1,0(s0)"
    assert allowed("0:t1=0 /\\ 1:a0=1 /\\ 1:a1=0", sender.format("li t3,1;"), receiver)
    assert not allowed("0:t1=0 /\\ 1:a0=1 /\\ 1:a1=0", sender.format("addi t3,t1,1;"), receiver)


def test_load_buffering_is_forbidden_by_dependencies() -> None:
    thread = "lw a0,0({}); {} sw t0,0({})"
    both = "0:a0=1 /\\ 1:a0=1"
    assert allowed(both, thread.format("s0", "li t0,1;", "s1"), thread.format("s1", "li t0,1;", "s0"))
    data = "xor t0,a0,a0; addi t0,t0,1;"
    control = "bne a0,x0,L; L: li t0,1;"
    assert not allowed(both, thread.format("s0", data, "s1"), thread.format("s1", control, "s0"))


def test_a_model_that_includes_the_definitions_agrees(tmp_path: Path) -> None:
    own = tmp_path / "own.cat"
    own.write_text(
        'RISCV\ninclude "riscv-defs.cat"\ninclude "cos-opt.cat"\nacyclic co | rf | fr | po-loc as Coherence\n'
        "acyclic co | rfe | fr | ppo as Model\nempty rmw & (fre; coe) as Atomic\n"
    )
    for between in ("", "fence w,w;", "fence rw,rw;"):
        for behind in ("", "fence r,r;", "fence.tso;", "xor t2,a0,a0; add s0,s0,t2;"):
            threads = WRITER.format(between), READER.format(behind)
            assert allowed(STALE, *threads, model=str(own)) is allowed(STALE, *threads)
