"""Library functions, the kernel's macros and layouts of memory become program IR."""

from pathlib import Path
from typing import TypeVar

import pytest

from treville.programs import ir
from treville.programs.c import load_program
from treville.programs.c.set_cells import SET
from treville.results import InputError, Unsupported

pytest.importorskip("llvmlite")

T = TypeVar("T")
P = TypeVar("P", ir.ReadPrivate, ir.WritePrivate)
HEADERS = ("pthread.h", "assert.h", "stdlib.h", "string.h", "lkmm.h")
HEADER = "".join(f"#include <{name}>\n" for name in HEADERS)


def load(tmp_path: Path, code: str) -> ir.Program:
    path = tmp_path / "program.c"
    path.write_text(HEADER + code)
    return load_program(path)


def main_of(tmp_path: Path, declarations: str, body: str) -> ir.Thread:
    return load(tmp_path, f"{declarations}\nint main(void) {{ {body} return 0; }}").threads[0]


def of_type(thread: ir.Thread, kind: type[T]) -> list[T]:
    return [i for i in thread.instructions if isinstance(i, kind)]


def private(thread: ir.Thread, kind: type[P]) -> list[P]:
    """Accesses to private variables, without the notes of which cells are set."""
    return [access for access in of_type(thread, kind) if not access.object.endswith(SET)]


def tags_of(thread: ir.Thread) -> list[set[str]]:
    accesses = [i for i in thread.instructions if isinstance(i, ir.Load | ir.Store | ir.Fence)]
    return [set(i.tags) for i in accesses]


def widths_of(thread: ir.Thread) -> list[int]:
    return [i.bits for i in thread.instructions if isinstance(i, ir.Load | ir.Store)]


def test_macros_of_the_kernel_have_the_events_of_litmus_tests(tmp_path: Path) -> None:
    body = "WRITE_ONCE(x, 1); smp_wmb(); smp_store_release(&y, READ_ONCE(x)); (void)smp_load_acquire(&y);"
    found = tags_of(main_of(tmp_path, "int x; long y;", body))
    once, release, acquire = {"Once", "ONCE"}, {"Release", "RELEASE"}, {"Acquire", "ACQUIRE"}
    assert found == [once, {"Wmb"}, once, release, acquire]


def test_accesses_of_the_kernel_have_the_width_of_their_type(tmp_path: Path) -> None:
    body = "WRITE_ONCE(c, 1); WRITE_ONCE(s, 2); WRITE_ONCE(p, &c); atomic64_inc(&a); atomic_inc(&b);"
    thread = main_of(tmp_path, "char c; short s; char *p; atomic64_t a; atomic_t b;", body)
    assert [store.bits for store in of_type(thread, ir.Store)] == [8, 16, 64, 64, 32]


def test_full_exchanges_of_the_kernel_stand_between_barriers(tmp_path: Path) -> None:
    full = tags_of(main_of(tmp_path, "int x;", "(void)xchg(&x, 1);"))
    assert [("Mb" in tags) for tags in full] == [True, False, False, True]
    relaxed = main_of(tmp_path, "int x;", "(void)xchg_relaxed(&x, 1);")
    assert not of_type(relaxed, ir.Fence)


def test_branches_meet_where_both_ways_go_on(tmp_path: Path) -> None:
    thread = main_of(tmp_path, "int x, y;", "if (READ_ONCE(x)) WRITE_ONCE(y, 1); WRITE_ONCE(y, 2);")
    (branch,) = [i for i in of_type(thread, ir.Branch) if i.condition is not None]
    assert branch.until is not None
    after = thread.instructions[thread.labels[branch.until] :]
    assert [i.value for i in after if isinstance(i, ir.Store)] == [ir.Const(2)]


def test_unions_in_local_variables_are_kept_as_they_are_written(tmp_path: Path) -> None:
    body = "volatile union { int whole; char bytes[4]; } u; u.whole = 258; x = u.bytes[1];"
    thread = main_of(tmp_path, "int x;", body)
    assert [write.bits for write in private(thread, ir.WritePrivate)] == [32]
    assert [read.bits for read in private(thread, ir.ReadPrivate)] == [32]
    thread = main_of(tmp_path, "int x;", f"{body} u.bytes[2] = 1;")
    assert [write.bits for write in private(thread, ir.WritePrivate)] == [16, 8, 8, 8]


def test_structs_of_different_members_stay_whole(tmp_path: Path) -> None:
    body = "volatile struct { int a; long b; } s[2]; s[x].a = 1; s[x].b = 2; x = s[x].a;"
    thread = main_of(tmp_path, "int x;", body)
    assert sorted(write.bits for write in private(thread, ir.WritePrivate)) == [32, 64]


def test_a_computed_index_of_a_local_array_is_checked(tmp_path: Path) -> None:
    thread = main_of(tmp_path, "int x;", "int a[3] = {0}; a[x] = 1; x = a[1];")
    assert [check.message for check in of_type(thread, ir.Assert)] == [
        "an access outside the array is reached"
    ]


def test_divisors_must_not_be_zero_unless_they_are_known(tmp_path: Path) -> None:
    assert len(of_type(main_of(tmp_path, "unsigned x, y;", "x = y / x; x = y % 7;"), ir.Assert)) == 1
    assert len(of_type(main_of(tmp_path, "int x, y;", "x = y / x; x = y % 7; x = 5 / y;"), ir.Assert)) == 3


def test_variables_without_a_value_are_any_number(tmp_path: Path) -> None:
    assert len(of_type(main_of(tmp_path, "int x;", "int unset; x = unset;"), ir.Nondet)) == 1


def test_the_copy_of_a_struct_goes_member_by_member(tmp_path: Path) -> None:
    declarations = "struct s { char c; int *p; short h; } a, b;"
    thread = main_of(tmp_path, declarations, "a = b;")
    assert [load.bits for load in of_type(thread, ir.Load)] == [8, 64, 16]
    assert [store.bits for store in of_type(thread, ir.Store)] == [8, 64, 16]


def test_cells_of_globals_cover_their_padding(tmp_path: Path) -> None:
    program = load(tmp_path, "struct s { char c; int *p; short h; } a; int main(void) { return 0; }")
    covered = [byte for at, bits, _ in program.locations["a"].parts for byte in range(at, at + bits // 8)]
    assert covered == list(range(24))


def test_nobody_stores_results_of_threads_that_nobody_reads(tmp_path: Path) -> None:
    code = "void *f(void *a) {{ return a; }} int main(void) {{ pthread_t t; void *r; {} return 0; }}"
    start, join = "pthread_create(&t, 0, f, 0);", "pthread_join(t, &r);"
    assert not of_type(load(tmp_path, code.format(start + join)).functions["f"], ir.Store)
    used = load(tmp_path, code.format(start + join + "assert(!r);"))
    assert len(of_type(used.functions["f"], ir.Store)) == 1


def test_programs_may_use_names_that_the_compiler_knows(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("int index; double log; int main(void) { return index; }")
    assert {"index", "log"} <= load_program(path).locations.keys()


def test_a_program_named_from_elsewhere_keeps_its_name_and_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "below" / "program.c"
    path.parent.mkdir()
    path.write_text("int x;\nint main(void) { x = 1; return 0; }\n")
    monkeypatch.chdir(tmp_path)
    for given in (path, Path("below/program.c")):
        store = next(i for i in load_program(given).threads[0].instructions if isinstance(i, ir.Store))
        assert store.span is not None
        assert (store.span.file, store.span.line) == (str(given), 2)
        assert store.text.startswith("int main")


def test_places_in_headers_name_the_header(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("static void bump(int *x) {\n    *x = *x + 1;\n}\n")
    path = tmp_path / "program.c"
    path.write_text('#include "own.h"\nint x;\nint main(void) { bump(&x); return 0; }\n')
    spans = [store.span for store in of_type(load_program(path).threads[0], ir.Store)]
    assert [(Path(span.file).name, span.line) for span in spans if span] == [("own.h", 2)]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("double d; int main(void) { return d > 1; }", "floating-point arithmetic"),
        ('int main(void) { asm("cpuid"); return 0; }', "inline assembly"),
    ],
)
def test_what_is_not_supported_is_named_with_its_place(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(Unsupported, match=message) as caught:
        load(tmp_path, code)
    assert caught.value.span is not None


def test_a_missing_header_shows_what_the_compiler_says(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.h"):
        load(tmp_path, '#include "nowhere.h"\nint main(void) { return 0; }')


INTRINSICS = """
enum order { once, acquire, release, mb, wmb, rmb };
long __LKMM_load(const volatile void *, unsigned long, enum order);
void __LKMM_store(volatile void *, unsigned long, long, enum order);
long __LKMM_xchg(volatile void *, unsigned long, long, enum order);
long __LKMM_cmpxchg(volatile void *, unsigned long, long, long, enum order, enum order);
void __LKMM_atomic_op(volatile void *, unsigned long, long, int);
long __LKMM_atomic_op_return(volatile void *, unsigned long, long, enum order, int);
long __LKMM_atomic_fetch_op(volatile void *, unsigned long, long, enum order, int);
void __LKMM_fence(enum order);
int __LKMM_SPIN_LOCK(spinlock_t *);
int __LKMM_SPIN_UNLOCK(spinlock_t *);
long y;
atomic_t x;
spinlock_t l;
"""


@pytest.mark.parametrize(
    ("intrinsic", "macro"),
    [
        ("y = __LKMM_load(&x.counter, 4, once);", "y = READ_ONCE(x.counter);"),
        ("y = __LKMM_load(&x.counter, 4, acquire);", "y = smp_load_acquire(&x.counter);"),
        ("__LKMM_store(&y, 8, 3, once);", "WRITE_ONCE(y, 3);"),
        ("__LKMM_store(&y, 8, 3, release);", "smp_store_release(&y, 3);"),
        ("y = __LKMM_xchg(&x.counter, 4, 2, mb);", "y = atomic_xchg(&x, 2);"),
        ("y = __LKMM_xchg(&x.counter, 4, 2, once);", "y = atomic_xchg_relaxed(&x, 2);"),
        (
            "y = __LKMM_cmpxchg(&x.counter, 4, 1, 2, acquire, acquire);",
            "y = atomic_cmpxchg_acquire(&x, 1, 2);",
        ),
        ("__LKMM_atomic_op(&x.counter, 4, 2, 3);", "atomic_or(2, &x);"),
        (
            "y = __LKMM_atomic_op_return(&x.counter, 4, 2, release, 1);",
            "y = atomic_sub_return_release(2, &x);",
        ),
        ("y = __LKMM_atomic_fetch_op(&x.counter, 4, 2, mb, 0);", "y = atomic_fetch_add(2, &x);"),
        ("__LKMM_fence(wmb); __LKMM_fence(6);", "smp_wmb(); rcu_read_lock();"),
        ("__LKMM_SPIN_LOCK(&l); __LKMM_SPIN_UNLOCK(&l);", "spin_lock(&l); spin_unlock(&l);"),
    ],
)
def test_intrinsics_are_the_primitives_of_the_kernel(tmp_path: Path, intrinsic: str, macro: str) -> None:
    found, meant = (main_of(tmp_path, INTRINSICS, body) for body in (intrinsic, macro))
    assert tags_of(found) == tags_of(meant)
    assert widths_of(found) == widths_of(meant)


@pytest.mark.parametrize(
    "body", ["__LKMM_fence(99);", "__LKMM_fence((enum order)y);", "__LKMM_store(&y, 8, 3, rmb);"]
)
def test_orders_that_intrinsics_do_not_have_are_refused(tmp_path: Path, body: str) -> None:
    with pytest.raises(Unsupported):
        main_of(tmp_path, INTRINSICS, body)
