"""Every primitive of the Linux kernel under every kind of model: it keeps what the kernel's model promises,
or it is refused at its place."""

from __future__ import annotations

import pytest

from treville.models.library import MODELS, load_model
from treville.programs.litmus import parse
from treville.programs.litmus.c import linux
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Budget, Unsupported

LANGUAGES = ("c11", "rc11", "imm")
HARDWARE = tuple(name for name in MODELS if name not in (*LANGUAGES, "lkmm"))


def c_test(first: str, second: str, condition: str) -> LitmusTest:
    """Two threads on x, y and what primitives need beside them."""
    places = "int *x, int *y, int *z, int **p, spinlock_t *l, spinlock_t *m, struct srcu_struct *s"
    return parse(
        f"C made\n{{ p=z; }}\nP0({places})\n{{\n{first}\n}}\nP1({places})\n{{\n{second}\n}}\n"
        f"exists ({condition})\n",
        "made.litmus",
    )


def message(writer: str, reader: str) -> LitmusTest:
    """The first thread writes x, then y; the second reads y as r1, then x as r2."""
    return c_test(writer, reader, "1:r1=1 /\\ 1:r2=0")


def buffering(link: str) -> LitmusTest:
    """Each thread writes one and reads the other."""
    one = f"WRITE_ONCE(*x, 1);\n{link}\nint r1 = READ_ONCE(*y);"
    other = f"WRITE_ONCE(*y, 1);\n{link}\nint r1 = READ_ONCE(*x);"
    return c_test(one, other, "0:r1=0 /\\ 1:r1=0")


SEND = "WRITE_ONCE(*x, 1);\nsmp_store_release(y, 1);"
RECEIVE = "int r1 = smp_load_acquire(y);\nint r2 = READ_ONCE(*x);"
STRONG = "smp_mb__after_spinlock();"
LAST = "int r2 = READ_ONCE(*x);"

# What the kernel's model forbids, by the primitive that forbids it.
FORBIDDEN = {
    "smp_mb": buffering("smp_mb();"),
    "smp_store_mb": c_test(
        "smp_store_mb(*x, 1);\nint r1 = READ_ONCE(*y);", "smp_store_mb(*y, 1);\nint r1 = READ_ONCE(*x);",
        "0:r1=0 /\\ 1:r1=0",
    ),
    "smp_wmb, smp_rmb": message(
        "WRITE_ONCE(*x, 1);\nsmp_wmb();\nWRITE_ONCE(*y, 1);", f"int r1 = READ_ONCE(*y);\nsmp_rmb();\n{LAST}"
    ),
    "smp_store_release, smp_load_acquire": message(SEND, RECEIVE),
    "atomic_set_release, atomic_read_acquire": message(
        "WRITE_ONCE(*x, 1);\natomic_set_release(y, 1);", f"int r1 = atomic_read_acquire(y);\n{LAST}"
    ),
    "smp_acquire__after_ctrl_dep": message(
        SEND, "int r2 = 1;\nint r1 = READ_ONCE(*y);\nif (r1) {\nsmp_acquire__after_ctrl_dep();\n"
        "r2 = READ_ONCE(*x);\n}",
    ),
    "rcu_assign_pointer, rcu_dereference": c_test(
        "WRITE_ONCE(*x, 1);\nrcu_assign_pointer(*p, x);",
        "int *r1 = rcu_dereference(*p);\nint r2 = READ_ONCE(*r1);", "1:r1=x /\\ 1:r2=0",
    ),
    "xchg": buffering("int r0 = xchg(z, 1);"),
    "xchg_release, xchg_acquire": message(
        "WRITE_ONCE(*x, 1);\nint r0 = xchg_release(y, 1);", f"int r1 = xchg_acquire(y, 2);\n{LAST}"
    ),
    "cmpxchg": buffering("int r0 = xchg(z, 1);\nint r3 = cmpxchg(z, 1, 2);"),
    "cmpxchg_acquire": message(SEND, f"int r1 = cmpxchg_acquire(y, 1, 2);\n{LAST}"),
    "atomic_add_return": buffering("int r0 = atomic_add_return(1, z);"),
    "atomic_fetch_or": buffering("int r0 = atomic_fetch_or(1, z);"),
    "atomic_dec_and_test": buffering("int r0 = atomic_dec_and_test(z);"),
    "atomic_fetch_add_release, atomic_fetch_add_acquire": message(
        "WRITE_ONCE(*x, 1);\nint r0 = atomic_fetch_add_release(1, y);",
        f"int r1 = atomic_fetch_add_acquire(2, y);\n{LAST}",
    ),
    "smp_mb__before_atomic": buffering("smp_mb__before_atomic();\natomic_inc(z);"),
    "smp_mb__after_atomic": buffering("atomic_inc(z);\nsmp_mb__after_atomic();"),
    "atomic_add_unless": buffering("int r0 = atomic_add_unless(z, 1, 7);"),
    "atomic_fetch_add_unless": buffering("int r0 = atomic_fetch_add_unless(z, 1, 7);"),
    "__atomic_add_unless": buffering("int r0 = __atomic_add_unless(z, 1, 7);"),
    "spin_lock, spin_unlock": message(
        "spin_lock(l);\nWRITE_ONCE(*x, 1);\nWRITE_ONCE(*y, 1);\nspin_unlock(l);",
        f"spin_lock(l);\nint r1 = READ_ONCE(*y);\n{LAST}\nspin_unlock(l);",
    ),
    "spin_trylock": message(
        "spin_lock(l);\nWRITE_ONCE(*x, 1);\nWRITE_ONCE(*y, 1);\nspin_unlock(l);",
        "int r1 = 0;\nint r2 = 0;\nint r3 = spin_trylock(l);\nif (r3) {\nr1 = READ_ONCE(*y);\n"
        "r2 = READ_ONCE(*x);\nspin_unlock(l);\n}",
    ),
    "mutual exclusion": c_test(
        "spin_lock(l);\nint r1 = READ_ONCE(*x);\nWRITE_ONCE(*x, r1 + 1);\nspin_unlock(l);",
        "spin_lock(l);\nint r1 = READ_ONCE(*x);\nWRITE_ONCE(*x, r1 + 1);\nspin_unlock(l);", "x=1",
    ),
    "spin_is_locked": c_test(
        "spin_lock(l);\nsmp_mb__after_spinlock();\nint r1 = READ_ONCE(*x);\nspin_unlock(l);",
        "WRITE_ONCE(*x, 1);\nsmp_mb();\nint r1 = spin_is_locked(l);\nint r2 = READ_ONCE(*y);",
        "0:r1=0 /\\ 1:r1=2",
    ),
    "smp_mb__after_spinlock": c_test(
        f"WRITE_ONCE(*x, 1);\nspin_lock(l);\n{STRONG}\nint r1 = READ_ONCE(*y);\nspin_unlock(l);",
        f"WRITE_ONCE(*y, 1);\nspin_lock(m);\n{STRONG}\nint r1 = READ_ONCE(*x);\nspin_unlock(m);",
        "0:r1=0 /\\ 1:r1=0",
    ),
    "smp_mb__after_unlock_lock": c_test(
        "spin_lock(l);\nWRITE_ONCE(*x, 1);\nspin_unlock(l);\nspin_lock(m);\nsmp_mb__after_unlock_lock();\n"
        "int r1 = READ_ONCE(*y);\nspin_unlock(m);",
        "WRITE_ONCE(*y, 1);\nsmp_mb();\nint r1 = READ_ONCE(*x);", "0:r1=0 /\\ 1:r1=0",
    ),
}  # fmt: skip
REFUSED = {
    "rcu_read_lock": "rcu_read_lock();\nint r1 = READ_ONCE(*y);\nrcu_read_unlock();",
    "rcu_read_unlock": "rcu_read_unlock();",
    "synchronize_rcu": "WRITE_ONCE(*x, 1);\nsynchronize_rcu();",
    "synchronize_rcu_expedited": "synchronize_rcu_expedited();",
    "srcu_read_lock": "int r1 = srcu_read_lock(s);\nsrcu_read_unlock(s, r1);",
    "srcu_read_unlock": "srcu_read_unlock(s, 0);",
    "srcu_down_read": "int r1 = srcu_down_read(s);",
    "srcu_up_read": "srcu_up_read(s, 0);",
    "synchronize_srcu": "synchronize_srcu(s);",
    "synchronize_srcu_expedited": "synchronize_srcu_expedited(s);",
    "smp_mb__after_srcu_read_unlock": "smp_mb__after_srcu_read_unlock();",
}
# Names for what is there already, and what orders nothing.
SAME = {
    "READ_ONCE", "WRITE_ONCE", "rcu_access_pointer", "lockless_dereference", "atomic_read", "atomic_set",
    "RCU_INIT_POINTER", "barrier", "smp_read_barrier_depends", "read_barrier_depends", "atomic_inc_not_zero",
    "spin_unlock_wait",
}  # fmt: skip
# The light fences of this model do not even pass messages (docs/encodings.md).
WEAK_FENCES = {
    "smp_wmb, smp_rmb", "smp_store_release, smp_load_acquire", "atomic_set_release, atomic_read_acquire",
    "smp_acquire__after_ctrl_dep", "rcu_assign_pointer, rcu_dereference", "xchg_release, xchg_acquire",
    "cmpxchg_acquire", "atomic_fetch_add_release, atomic_fetch_add_acquire", "spin_lock, spin_unlock",
    "spin_trylock", "mutual exclusion",
}  # fmt: skip


def observed(test: LitmusTest, model: str) -> str:
    """What `treville litmus` says."""
    return outcomes(test, load_model(model), budget=Budget(30)).observation


def test_every_primitive_is_here() -> None:
    known = {*linux._FENCES, *linux._READS, *linux._WRITES, *linux._OTHERS}
    named = {name for names in FORBIDDEN for name in names.split(", ")}
    assert known - named - REFUSED.keys() - SAME == set()


@pytest.mark.parametrize("model", ["lkmm", *HARDWARE])
def test_hardware_keeps_what_the_kernel_promises(model: str) -> None:
    for name, test in FORBIDDEN.items():
        if model != "power2012" or name not in WEAK_FENCES:
            assert observed(test, model) == "Never", name


@pytest.mark.parametrize("model", LANGUAGES)
def test_models_of_c_refuse_the_kernels_primitives(model: str) -> None:
    for name, test in FORBIDDEN.items():
        with pytest.raises(Unsupported) as caught:
            observed(test, model)
        assert caught.value.span is not None, name


@pytest.mark.parametrize("model", ["sc", "svcomp", "tso", "power", "aarch64", "rc11"])
def test_read_copy_update_is_refused_at_its_place_outside_the_kernels_model(model: str) -> None:
    for name, code in REFUSED.items():
        test = c_test(code, "WRITE_ONCE(*y, 1);", "x=1")
        observed(test, "lkmm")
        with pytest.raises(Unsupported) as caught:
            observed(test, model)
        assert caught.value.span is not None, name
