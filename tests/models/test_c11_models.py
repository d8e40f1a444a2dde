"""RC11 and C11 on classic tests."""

from __future__ import annotations

import pytest

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import Outcomes, outcomes


def run(model: str, condition: str, *threads: str) -> Outcomes:
    parameters = "atomic_int *x, atomic_int *y, int *d"
    program = "\n".join(f"P{i}({parameters}) {{ {body} }}" for i, body in enumerate(threads))
    return outcomes(parse(f"C t\n{{}}\n{program}\nexists ({condition})\n", "t.litmus"), load_model(model))


def store(cell: str, value: int, order: str) -> str:
    return f"atomic_store_explicit({cell}, {value}, memory_order_{order});"


def load(register: str, cell: str, order: str) -> str:
    return f"int {register} = atomic_load_explicit({cell}, memory_order_{order});"


def fence(order: str) -> str:
    return f"atomic_thread_fence(memory_order_{order});"


BOTH_OLD = "0:r0=0 /\\ 1:r0=0"
BOTH_NEW = "0:r0=1 /\\ 1:r0=1"


@pytest.mark.parametrize("model", ["rc11", "c11"])
@pytest.mark.parametrize(("order", "seen"), [("relaxed", True), ("seq_cst", False)])
def test_store_buffering_needs_seq_cst(model: str, order: str, seen: bool) -> None:
    threads = (store("x", 1, order) + load("r0", "y", order), store("y", 1, order) + load("r0", "x", order))
    assert run(model, BOTH_OLD, *threads).holds is seen


@pytest.mark.parametrize("model", ["rc11", "c11"])
def test_seq_cst_fences_forbid_store_buffering(model: str) -> None:
    threads = tuple(
        store(mine, 1, "relaxed") + fence("seq_cst") + load("r0", other, "relaxed")
        for mine, other in (("x", "y"), ("y", "x"))
    )
    assert run(model, BOTH_OLD, *threads).holds is False


@pytest.mark.parametrize(("model", "seen"), [("rc11", False), ("c11", True)])
def test_load_buffering_tells_the_two_apart(model: str, seen: bool) -> None:
    threads = (
        load("r0", "x", "relaxed") + store("y", 1, "relaxed"),
        load("r0", "y", "relaxed") + store("x", 1, "relaxed"),
    )
    assert run(model, BOTH_NEW, *threads).holds is seen


@pytest.mark.parametrize("model", ["rc11", "c11"])
@pytest.mark.parametrize(
    ("writer", "reader", "defined"),
    [
        (store("y", 1, "release"), load("r0", "y", "acquire"), True),
        (store("y", 1, "relaxed"), load("r0", "y", "acquire"), False),
        (store("y", 1, "release"), load("r0", "y", "relaxed"), False),
        (fence("release") + store("y", 1, "relaxed"), load("r0", "y", "relaxed") + fence("acquire"), True),
        (store("y", 1, "seq_cst"), load("r0", "y", "seq_cst"), True),
    ],
)
def test_a_message_is_safe_if_it_synchronises(model: str, writer: str, reader: str, defined: bool) -> None:
    answer = run(model, "1:r0=1 /\\ 1:r1=0", "*d = 1; " + writer, reader + "int r1 = 1; if (r0) { r1 = *d; }")
    assert (answer.holds is not None) is defined
    if defined:
        assert answer.holds is False


@pytest.mark.parametrize("model", ["rc11", "c11"])
def test_a_read_modify_write_continues_a_release_sequence(model: str) -> None:
    increment = "int r0 = atomic_fetch_add_explicit(y, 1, memory_order_relaxed);"
    reader = load("r0", "y", "acquire") + "int r1 = 1; if (r0 == 2) { r1 = *d; }"
    answer = run(model, "2:r0=2 /\\ 2:r1=0", "*d = 1; " + store("y", 1, "release"), increment, reader)
    assert answer.holds is False


@pytest.mark.parametrize("model", ["rc11", "c11"])
def test_increments_are_atomic(model: str) -> None:
    thread = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed);"
    answer = run(model, "x=1", thread, thread)
    assert list(answer.states) == [(2,)]
    assert answer.negative == 2


@pytest.mark.parametrize("model", ["rc11", "c11"])
def test_reads_of_one_location_are_coherent(model: str) -> None:
    reader = load("r0", "x", "relaxed") + load("r1", "x", "relaxed")
    assert (
        run(model, "1:r0=2 /\\ 1:r1=1", store("x", 1, "relaxed") + store("x", 2, "relaxed"), reader).holds
        is False
    )


def test_rc11_weakens_iriw_with_acquire_reads_as_the_paper_says() -> None:
    threads = (
        store("x", 1, "seq_cst"),
        store("y", 1, "seq_cst"),
        load("r0", "x", "acquire") + load("r1", "y", "seq_cst"),
        load("r0", "y", "acquire") + load("r1", "x", "seq_cst"),
    )
    condition = "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0"
    assert run("rc11", condition, *threads).holds is True
    assert run("c11", condition, *threads).holds is False


@pytest.mark.parametrize(
    ("first", "second", "seen"),
    [("WRITE", "WRITE", True), ("IF", "WRITE", True), ("IF", "IF", False)],
)
def test_imm_forbids_load_buffering_only_with_dependencies_in_both_threads(
    first: str, second: str, seen: bool
) -> None:
    threads = []
    for kind, mine, other in ((first, "x", "y"), (second, "y", "x")):
        write = store(other, 1, "relaxed")
        guarded = f"if (r0) {{ {write} }}" if kind == "IF" else write
        threads.append(load("r0", mine, "relaxed") + guarded)
    assert run("imm", BOTH_NEW, *threads).holds is seen
    assert run("rc11", BOTH_NEW, *threads).holds is False


def test_what_initialises_an_atomic_object_is_older_than_what_is_stored() -> None:
    """`atomic_init` writes plainly, and all modifications of an atomic object are in one order. (For plain
    writes of litmus tests c11 keeps herd7's executions.)"""
    body = "*x = 5; " + store("x", 1, "relaxed") + load("r0", "x", "relaxed")
    assert run("rc11", "0:r0=5", body).holds is False
    assert run("c11", "0:r0=5", body).holds is True
