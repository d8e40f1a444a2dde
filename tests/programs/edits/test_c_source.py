"""Room for statements and calls with orders in C sources as they are typed."""

from __future__ import annotations

import pytest

from treville.programs.edits.c_orders import kernel_call, ordered, with_kernel_order, with_order
from treville.programs.edits.c_statements import rooms
from treville.programs.edits.c_tokens import calls_in, words_of
from treville.programs.edits.text import edited


def marked(text: str) -> str:
    """The text with a bar wherever there is room, and brackets where braces are needed."""
    marks: dict[int, str] = {}
    for room in rooms(words_of(text)[0]):
        marks[room.at] = marks.get(room.at, "") + ("[" if room.end else "|")
        if room.end:
            marks[room.end] = "]" + marks.get(room.end, "")
    return "".join(marks.get(at, "") + character for at, character in enumerate(text + " ")).rstrip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void f(void) { a(); b(); }", "void f(void) { |a(); |b(); |}"),
        ("void f(void) { while (x) ; y(); }", "void f(void) { |while (x) ; |y(); |}"),
        ("int f() { if (x) y(); else z(); }", "int f() { |if (x) [y();] else [z();] |}"),
        ("int f() { if (x) { y(); } else if (z) return 1; }",
         "int f() { |if (x) { |y(); |} else if (z) [return 1;] |}"),
        ("int f() { for (int i = 0; i < 2; i++) { g({1}); } return i; }",
         "int f() { |for (int i = 0; i < 2; i++) { |g({1}); |} |return i; }"),
        ("int f() { do x(); while (y); out: z(); }", "int f() { |do [x();] while (y); out: |z(); |}"),
        ("int f() { switch (x) { case 1: y(); break; default: z(); } }",
         "int f() { |switch (x) { case 1: |y(); |break; default: |z(); |} |}"),
        ("int t[] = {1, 2}; struct s { int a; };", "int t[] = {1, 2}; struct s { int a; };"),
        ("int f() { // a();\n /* b(); */ c(\"};\"); }", "int f() { // a();\n /* b(); */ |c(\"};\"); |}"),
        ("#define M { a(); }\nint f() { M }", "#define M { a(); }\nint f() { M }"),
        ("int f() { if (x { }", "int f() { if (x { }"),
    ],
)  # fmt: skip
def test_room_is_between_statements(text: str, expected: str) -> None:
    assert marked(text) == expected


def with_level(text: str, order: str) -> str:
    """The first call with an order, with another one."""
    call = next(call for call in calls_in(words_of(text)[0]) if ordered(call, text))
    found = ordered(call, text)
    assert found is not None
    return edited(text, with_order(found, order, ""))


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("atomic_load_explicit(&a[i], memory_order_relaxed)", "ACQ",
         "atomic_load_explicit(&a[i], memory_order_acquire)"),
        ("atomic_load(&x)", "RLX", "atomic_load_explicit(&x, memory_order_relaxed)"),
        ("atomic_compare_exchange_strong(&x, &e, 1)", "ACQ_REL",
         "atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_acquire)"),
        ("__atomic_store_n(&x, f(1, 2), __ATOMIC_RELAXED)", "REL",
         "__atomic_store_n(&x, f(1, 2), __ATOMIC_RELEASE)"),
        ("atomic_thread_fence(memory_order_release)", "SC", "atomic_thread_fence(memory_order_seq_cst)"),
        ("__atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)", "ACQ",
         "__atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)"),
    ],
)  # fmt: skip
def test_calls_get_other_orders(text: str, order: str, expected: str) -> None:
    assert with_level(text, order) == expected


def test_an_order_that_no_constant_tells_is_none() -> None:
    text = "atomic_load_explicit(&x, order)"
    assert ordered(calls_in(words_of(text)[0])[0], text) is None


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("READ_ONCE(*x)", "_acquire", "smp_load_acquire(x)"),
        ("READ_ONCE(t->owner)", "_acquire", "smp_load_acquire(&t->owner)"),
        ("READ_ONCE(a[i] ? b : c)", "_acquire", "smp_load_acquire(&(a[i] ? b : c))"),
        ("WRITE_ONCE(x, 1)", "_release", "smp_store_release(&x, 1)"),
        ("smp_store_release(&t->owner, 1)", "_relaxed", "WRITE_ONCE(t->owner, 1)"),
        ("smp_load_acquire(p)", "_relaxed", "READ_ONCE(*p)"),
        ("xchg_relaxed(&x, 1)", "", "xchg(&x, 1)"),
        ("atomic_fetch_add(1, &x)", "_release", "atomic_fetch_add_release(1, &x)"),
        ("atomic_set(v, 1)", "_release", "atomic_set_release(v, 1)"),
    ],
)  # fmt: skip
def test_primitives_of_the_kernel_get_other_orders(text: str, order: str, expected: str) -> None:
    found = kernel_call(calls_in(words_of(text)[0])[0])
    assert found is not None
    assert edited(text, with_kernel_order(found, order, "", text)) == expected
