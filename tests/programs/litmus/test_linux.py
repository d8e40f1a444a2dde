"""The Linux kernel's primitives: which events they have."""

from __future__ import annotations

import pytest

from treville.models.library import load_model
from treville.programs.ir import Assume, Const, Fence, Load, Store
from treville.programs.litmus import parse
from treville.programs.litmus.c.linux import primitive
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes


def read(body: str, initial: str = "", condition: str = "exists (x=1)") -> LitmusTest:
    text = f"C t\n{{ {initial} }}\nP0(int *x, int *y, spinlock_t *l) {{\n{body}\n}}\n{condition}\n"
    return parse(text, "t.litmus")


def events(body: str) -> list[str]:
    """The events of the statement in short: kind and the annotation of the models up to Linux 6.13."""
    out = []
    for instruction in read(body).program.threads[0].instructions:
        if isinstance(instruction, Load | Store | Fence):
            kind = type(instruction).__name__[0]
            annotations = sorted(tag for tag in instruction.tags if tag[1:2].islower())
            out.append(f"{kind} {' '.join(annotations)}".strip())
    return out


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("r = READ_ONCE(*x);", ["L Once"]),
        ("WRITE_ONCE(*x, 1);", ["S Once"]),
        ("r = smp_load_acquire(x);", ["L Acquire"]),
        ("smp_store_release(x, 1);", ["S Release"]),
        ("rcu_assign_pointer(*x, y);", ["S Release"]),
        ("r = rcu_dereference(*x);", ["L Once"]),
        ("smp_store_mb(*x, 1);", ["S Once", "F Mb"]),
        ("r = xchg(x, 1);", ["F Mb", "L Once", "S Once", "F Mb"]),
        ("r = xchg_acquire(x, 1);", ["L Acquire", "S Once"]),
        ("r = atomic_xchg_release(x, 1);", ["L Once", "S Release"]),
        ("atomic_inc(x);", ["L Noreturn", "S Once"]),
        ("atomic_andnot(3, x);", ["L Noreturn", "S Once"]),
        ("r = atomic_add_return(2, x);", ["F Mb", "L Once", "S Once", "F Mb"]),
        ("r = atomic_fetch_sub_relaxed(2, x);", ["L Once", "S Once"]),
        ("r = atomic_dec_and_test(x);", ["F Mb", "L Once", "S Once", "F Mb"]),
        ("r = cmpxchg(x, 0, 1);", ["F Mb", "L Once", "S Once", "F Mb", "L Once"]),
        ("r = atomic_cmpxchg_acquire(x, 0, 1);", ["L Acquire", "S Once", "L Once"]),
        ("r = atomic_add_unless(x, 1, 5);", ["F Mb", "L Once", "S Once", "F Mb", "L Once"]),
        ("smp_rmb();", ["F Rmb"]),
        ("rcu_read_lock();", ["F Rcu-lock"]),
        ("synchronize_rcu_expedited();", ["F Sync-rcu"]),
        ("r = srcu_read_lock(x); srcu_read_unlock(x, r);", ["L Srcu-lock", "S Srcu-unlock"]),
    ],
)
def test_a_primitive_has_the_events_of_the_kernel_model(statement: str, expected: list[str]) -> None:
    assert events(statement) == expected


def test_accesses_also_carry_the_annotations_of_later_kernels() -> None:
    """Those put the order of a read-modify-write on both halves, and no fences around it."""
    instructions = read("r = xchg(x, 1); r = xchg_acquire(x, 1); smp_mb();").program.threads[0].instructions
    upper = [
        {tag for tag in instruction.tags if tag.isupper()}
        for instruction in instructions
        if isinstance(instruction, Load | Store | Fence)
    ]
    assert upper == [
        set(),
        {"MB", "RMW"},
        {"MB", "RMW"},
        set(),
        {"ACQUIRE", "RMW"},
        {"ACQUIRE", "RMW"},
        {"MB"},
    ]


def test_synchronize_srcu_is_a_fence_with_a_location() -> None:
    test = read("synchronize_srcu(y);")
    (fence,) = test.program.threads[0].instructions
    assert isinstance(fence, Fence)
    assert isinstance(fence.address, Const)
    assert fence.address.value == test.program.locations["y"].address


def test_a_spinlock_blocks_until_it_is_free() -> None:
    load, wait, store, unlock = read("spin_lock(l); spin_unlock(l);").program.threads[0].instructions
    assert isinstance(load, Load)
    assert load.link
    assert "LKR" in load.tags
    assert isinstance(wait, Assume)
    assert isinstance(store, Store)
    assert store.link
    assert "LKW" in store.tags
    assert isinstance(unlock, Store)
    assert not unlock.link
    assert "UL" in unlock.tags


@pytest.mark.parametrize(
    ("call", "value", "left"),
    [
        ("atomic_add_return(3, x)", 8, 8),
        ("atomic_fetch_add(3, x)", 5, 8),
        ("atomic_inc_return(x)", 6, 6),
        ("atomic_fetch_dec_release(x)", 5, 4),
        ("atomic_sub_and_test(5, x)", 1, 0),
        ("atomic_add_negative(-6, x)", 1, -1),
        ("atomic_fetch_andnot(4, x)", 5, 1),
        ("atomic_fetch_or(2, x)", 5, 7),
        ("atomic_cmpxchg(x, 5, 9)", 5, 9),
        ("atomic_cmpxchg(x, 4, 9)", 5, 5),
        ("cmpxchg_relaxed(x, 5, 9)", 5, 9),
        ("xchg(x, 2)", 5, 2),
        ("atomic_add_unless(x, 1, 5)", 0, 5),
        ("atomic_add_unless(x, 1, 4)", 1, 6),
        ("atomic_fetch_add_unless(x, 1, 4)", 5, 6),
        ("atomic_inc_not_zero(x)", 1, 6),
        ("atomic64_xchg_acquire(x, 7)", 5, 7),
        ("spin_trylock(l)", 1, 5),
        ("spin_is_locked(l)", 0, 5),
    ],
)
def test_a_primitive_computes_what_the_kernel_says(call: str, value: int, left: int) -> None:
    test = read(f"int r = {call};", initial="x=5;", condition="exists (0:r=0 /\\ x=0)")
    assert list(outcomes(test, load_model("lkmm")).states) == [(value, left)]


@pytest.mark.parametrize(
    "name",
    [
        "atomic_add_relaxed",
        "atomic_fetch_add_return",
        "atomic_and_and_test",
        "atomic_frob",
        "cmpxchg_mb",
        "xchg_full",
    ],
)
def test_names_that_the_kernel_does_not_have_are_unknown(name: str) -> None:
    assert primitive(name) is None
