"""C11 atomics: which events they have."""

from __future__ import annotations

import pytest

from treville.models.library import load_model
from treville.programs.ir import Fence, Load, Store
from treville.programs.litmus import parse
from treville.programs.litmus.c.c11 import primitive
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import InputError


def read(body: str, initial: str = "", condition: str = "exists (x=1)") -> LitmusTest:
    text = f"C t\n{{ {initial} }}\nP0(atomic_int *x, int *e) {{\n{body}\n}}\n{condition}\n"
    return parse(text, "t.litmus")


@pytest.mark.parametrize(
    ("statement", "tags"),
    [
        ("int r = atomic_load_explicit(x, memory_order_acquire);", [{"ACQ", "A"}]),
        ("int r = atomic_load(x);", [{"SC", "A"}]),
        ("atomic_store_explicit(x, 1, memory_order_release);", [{"REL", "A"}]),
        ("atomic_init(x, 1);", [{"NA", "Plain", "DATA"}]),
        ("atomic_thread_fence(memory_order_acq_rel);", [{"ACQ_REL"}]),
        ("atomic_fetch_add_explicit(x, 1, memory_order_relaxed);", [{"RLX", "A", "RMW"}] * 2),
        ("int r = atomic_exchange(x, 3);", [{"SC", "A", "RMW"}] * 2),
        ("atomic_flag_clear_explicit(x, memory_order_release);", [{"REL", "A"}]),
    ],
)
def test_a_function_has_events_with_its_memory_order(statement: str, tags: list[set[str]]) -> None:
    found = read(statement).program.threads[0].instructions
    assert [set(i.tags) for i in found if isinstance(i, Load | Store | Fence)] == tags


@pytest.mark.parametrize(
    ("expected", "states"),
    [(5, [(1, 5, 7)]), (4, [(0, 5, 5)])],
)
def test_a_strong_compare_exchange_updates_the_expected_value(
    expected: int, states: list[tuple[int, ...]]
) -> None:
    call = "atomic_compare_exchange_strong_explicit(x, e, 7, memory_order_acq_rel, memory_order_relaxed)"
    test = read(f"int r = {call};", f"x=5; e={expected};", "exists (0:r=1 /\\ x=7 /\\ e=5)")
    assert list(outcomes(test, load_model("rc11")).states) == states


def test_a_weak_compare_exchange_may_fail_for_no_reason() -> None:
    test = read("int r = atomic_compare_exchange_weak(x, e, 7);", "x=5; e=5;", "exists (0:r=0 /\\ x=5)")
    assert sorted(outcomes(test, load_model("rc11")).states) == [(0, 5), (1, 7)]


def test_a_mutex_excludes() -> None:
    thread = "lock(m); int r = *x; *x = r + 1; unlock(m);"
    text = (
        f"C t\n{{}}\nP0(mtx_t *m, int *x) {{ {thread} }}\nP1(mtx_t *m, int *x) {{ {thread} }}\nexists (x=1)\n"
    )
    answer = outcomes(parse(text, "t.litmus"), load_model("rc11"))
    assert list(answer.states) == [(2,)]
    assert answer.holds is False


def test_an_unknown_memory_order_is_refused() -> None:
    with pytest.raises(InputError, match="no memory order"):
        read("atomic_store_explicit(x, 1, memory_order_strong);")


@pytest.mark.parametrize(
    "name", ["atomic_fetch_nand", "atomic_init_explicit_explicit", "atomic_signal_fence", "READ_ONCE"]
)
def test_other_functions_are_unknown(name: str) -> None:
    assert primitive(name) is None
