"""The Linux kernel model on classic tests: its axioms, locks, RCU, SRCU, plain accesses and flags."""

from __future__ import annotations

import pytest

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.questions.outcomes import Outcomes, outcomes


def run(condition: str, *threads: str, initial: str = "") -> Outcomes:
    """The outcomes of a test whose threads share the globals x, y, z, l, s."""
    parameters = "int *x, int *y, int *z, spinlock_t *l, struct srcu_struct *s"
    program = "\n".join(f"P{i}({parameters}) {{ {body} }}" for i, body in enumerate(threads))
    text = f"C t\n{{ {initial} }}\n{program}\nexists ({condition})\n"
    return outcomes(parse(text, "t.litmus"), load_model("lkmm"))


WRITER = "WRITE_ONCE(*x, 1); {} WRITE_ONCE(*y, 1);"
READER = "int r0 = READ_ONCE(*y); {} int r1 = READ_ONCE(*x);"
STALE = "1:r0=1 /\\ 1:r1=0"


@pytest.mark.parametrize(
    ("writer", "reader", "seen"),
    [
        (WRITER.format(""), READER.format(""), True),
        (WRITER.format("smp_wmb();"), READER.format("smp_rmb();"), False),
        (WRITER.format("smp_wmb();"), READER.format(""), True),
        (WRITER.format("smp_rmb();"), READER.format("smp_rmb();"), True),
        (WRITER.format("smp_mb();"), READER.format("smp_mb();"), False),
        (WRITER.format("barrier();"), READER.format("barrier();"), True),
        (WRITER.format("synchronize_rcu();"), READER.format("smp_rmb();"), False),
        (
            "WRITE_ONCE(*x, 1); smp_store_release(y, 1);",
            "int r0 = smp_load_acquire(y); int r1 = READ_ONCE(*x);",
            False,
        ),
        (WRITER.format("smp_wmb();"), READER.format("r2 = xchg(z, 1);"), False),
        (WRITER.format("smp_wmb();"), READER.format("r2 = xchg_relaxed(z, 1);"), True),
        # A compare-exchange that fails orders nothing.
        (WRITER.format("smp_wmb();"), READER.format("r2 = cmpxchg(z, 7, 1);"), True),
        (WRITER.format("smp_wmb();"), READER.format("r2 = cmpxchg(z, 0, 1);"), False),
        (WRITER.format("smp_wmb();"), READER.format("atomic_inc(z); smp_mb__after_atomic();"), False),
        (WRITER.format("smp_wmb();"), READER.format("atomic_inc(z);"), True),
    ],
)
def test_message_passing(writer: str, reader: str, seen: bool) -> None:
    assert run(STALE, writer, reader).holds is seen


def test_an_address_dependency_orders_the_second_read() -> None:
    writer = "WRITE_ONCE(*z, 1); smp_wmb(); WRITE_ONCE(*x, z);"
    reader = "int *r0 = READ_ONCE(*x); int r1 = READ_ONCE(*r0);"
    assert run("1:r0=z /\\ 1:r1=0", writer, reader, initial="x=y;").holds is False


def test_a_control_dependency_orders_writes_inside_the_if_only() -> None:
    inside = "int r0 = READ_ONCE(*{}); if (r0 == 1) WRITE_ONCE(*{}, 1);"
    behind = "int r0 = READ_ONCE(*{}); if (r0 == 1) r1 = 1; WRITE_ONCE(*{}, 1);"
    both = "0:r0=1 /\\ 1:r0=1"
    assert run(both, inside.format("x", "y"), inside.format("y", "x")).holds is False
    assert run(both, behind.format("x", "y"), behind.format("y", "x")).holds is True


@pytest.mark.parametrize(("fence", "seen"), [("", True), ("smp_wmb();", True), ("smp_mb();", False)])
def test_store_buffering(fence: str, seen: bool) -> None:
    thread = f"WRITE_ONCE(*{{}}, 1); {fence} int r0 = READ_ONCE(*{{}});"
    assert run("0:r0=0 /\\ 1:r0=0", thread.format("x", "y"), thread.format("y", "x")).holds is seen


def test_critical_sections_do_not_overlap() -> None:
    thread = "spin_lock(l); int r0 = READ_ONCE(*x); WRITE_ONCE(*x, r0 + 1); spin_unlock(l);"
    answer = run("x=2", thread, thread, thread)
    assert {state[0] for state in answer.states} == {3}
    assert (answer.positive, answer.negative) == (0, 6)


def test_a_lock_that_is_taken_twice_blocks_for_ever() -> None:
    assert run("x=0", "spin_lock(l); spin_lock(l);").states == {}


def test_trylock_succeeds_or_fails() -> None:
    thread = "int r0 = spin_trylock(l); if (r0) { WRITE_ONCE(*x, 1); spin_unlock(l); }"
    answer = run("0:r0=0 /\\ 1:r0=0", thread, thread)
    assert answer.holds is False
    assert len(answer.states) == 3


@pytest.mark.parametrize(
    ("updater", "reader", "seen"),
    [
        ("synchronize_rcu();", ("rcu_read_lock();", "rcu_read_unlock();"), False),
        ("synchronize_rcu_expedited();", ("rcu_read_lock();", "rcu_read_unlock();"), False),
        ("smp_mb();", ("rcu_read_lock();", "rcu_read_unlock();"), True),
        ("synchronize_rcu();", ("", ""), True),
        ("synchronize_srcu(s);", ("int i = srcu_read_lock(s);", "srcu_read_unlock(s, i);"), False),
        ("synchronize_srcu(z);", ("int i = srcu_read_lock(s);", "srcu_read_unlock(s, i);"), True),
        ("synchronize_rcu();", ("int i = srcu_read_lock(s);", "srcu_read_unlock(s, i);"), True),
        (
            "synchronize_rcu();",
            ("rcu_read_lock(); rcu_read_lock();", "rcu_read_unlock(); rcu_read_unlock();"),
            False,
        ),
    ],
)
def test_a_grace_period_does_not_end_inside_a_critical_section(
    updater: str, reader: tuple[str, str], seen: bool
) -> None:
    update = f"WRITE_ONCE(*x, 1); {updater} WRITE_ONCE(*y, 1);"
    read = f"{reader[0]} int r0 = READ_ONCE(*y); int r1 = READ_ONCE(*x); {reader[1]}"
    assert run("1:r0=1 /\\ 1:r1=0", update, read).holds is seen


def test_two_critical_sections_need_two_grace_periods() -> None:
    section = "rcu_read_lock(); int r0 = READ_ONCE(*{}); WRITE_ONCE(*{}, 1); rcu_read_unlock();"
    period = "int r0 = READ_ONCE(*{}); synchronize_rcu(); WRITE_ONCE(*{}, 1);"
    all_seen = "0:r0=1 /\\ 1:r0=1 /\\ 2:r0=1"
    one = run(all_seen, section.format("x", "y"), section.format("y", "z"), period.format("z", "x"))
    two = run(all_seen, section.format("x", "y"), period.format("y", "z"), period.format("z", "x"))
    assert (one.holds, two.holds) == (True, False)


@pytest.mark.parametrize(
    ("threads", "flag"),
    [
        (("*x = 1;", "int r0 = *x;"), "data-race"),
        (("*x = 1;", "int r0 = READ_ONCE(*x);"), "data-race"),
        (("rcu_read_lock();",), "unmatched-rcu-lock"),
        (("rcu_read_unlock();",), "unmatched-rcu-unlock"),
        (("int r0 = srcu_read_lock(s);",), "unmatched-srcu-lock"),
        (
            ("int r0 = srcu_read_lock(s); srcu_read_unlock(s, r0); srcu_read_unlock(s, r0);",),
            "multiple-srcu-matches",
        ),
        (("rcu_read_lock(); synchronize_srcu(s); rcu_read_unlock();",), "invalid-sleep"),
        (("spin_unlock(l);",), "unmatched-unlock"),
        (("spin_lock(l); WRITE_ONCE(*l, 2); spin_unlock(l);",), "mixed-lock-accesses"),
        (("*x = 1; WRITE_ONCE(*x, 2);",), "mixed-accesses"),
    ],
)
def test_misuse_is_flagged(threads: tuple[str, ...], flag: str) -> None:
    assert flag in run("y=0", *threads).flags


def test_testing_a_lock_at_the_end_is_flagged() -> None:
    assert "lock-final" in run("l=0", "spin_lock(l); spin_unlock(l);").flags


@pytest.mark.parametrize(
    "threads",
    [
        ("*x = 1; smp_store_release(y, 1);", "int r0 = smp_load_acquire(y); if (r0) { int r1 = *x; }"),
        ("spin_lock(l); *x = 1; spin_unlock(l);", "spin_lock(l); *x = 2; spin_unlock(l);"),
        ("WRITE_ONCE(*x, 1);", "int r0 = READ_ONCE(*x);"),
        ("rcu_read_lock(); rcu_read_lock(); rcu_read_unlock(); rcu_read_unlock();",),
        (
            "int r0 = srcu_read_lock(s); srcu_read_unlock(s, r0);",
            "int r0 = srcu_read_lock(s); srcu_read_unlock(s, r0);",
        ),
    ],
)
def test_proper_use_is_not_flagged(threads: tuple[str, ...]) -> None:
    assert run("y=0", *threads).flags == []


def test_an_srcu_index_may_be_handed_over_through_memory() -> None:
    down = "int r3 = srcu_down_read(s); WRITE_ONCE(*z, r3); int r2 = READ_ONCE(*y); smp_store_release(l, 1);"
    up = "int r4 = smp_load_acquire(l); int r1 = READ_ONCE(*x); int r3 = READ_ONCE(*z); srcu_up_read(s, r3);"
    update = "WRITE_ONCE(*y, 1); synchronize_srcu(s); WRITE_ONCE(*x, 1);"
    assert run("1:r4=1 /\\ 1:r1=1 /\\ 0:r2=0", down, up, update).holds is False
