"""Objects outside their lives: locals that ended, memory that nobody wrote, allocations unknown to others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting import Options, Report, answers

from treville.results.properties import UNORDERED, Property

pytest.importorskip("llvmlite")

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct job { int in, out; };
struct flags { unsigned low : 3, high : 5; int more; };
_Atomic(int *) shared;
_Atomic(struct job *) posted;
static _Thread_local int own;
static int *kept;
"""
TWO = """
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
"""
USES = "static void *second(void *unused) { int *p = shared; if (p) *p = 1; return 0; }\n"
# What is wrong, in which words, by the name of the error that is reported.
WRONG = {
    "local of a thread": (
        "static void *first(void *unused) { int x = 0; shared = &x; return 0; }" + USES + TWO,
        "local variable", "access",
    ),
    "local of a thread that exits": (
        "static void leave(int *p) { shared = p; pthread_exit(0); }"
        "static void *first(void *unused) { int x = 0; leave(&x); return 0; }" + USES + TWO,
        "local variable", "access",
    ),
    "thread-local variable": (
        "static void *first(void *unused) { own = 1; shared = &own; return 0; }" + USES + TWO,
        "local variable", "access",
    ),
    "local of a function that returned": (
        "static void keep(int *p) { kept = p; }"
        "static void run(void) { int x = 0; keep(&x); }"
        "int main(void) { run(); return *kept; }",
        "local variable", "access",
    ),
    "local that a thread was given": (
        "static void *work(void *arg) { struct job *j = arg; j->out = j->in; return 0; }"
        "static void run(void) { struct job j = {1, 0}; pthread_t t; pthread_create(&t, 0, work, &j); }"
        "int main(void) { run(); return 0; }",
        "local variable", "access",
    ),
    "local that nobody wrote": (
        "static void *first(void *unused) { int x; shared = &x; while (shared) ; return 0; }"
        "static void *second(void *unused) { int *p = shared; int r = p ? *p : 0; shared = 0; return 0; }"
        + TWO,
        "never written", "undefined",
    ),
    "heap that nobody wrote": (
        "int main(void) { struct job *j = malloc(sizeof *j); j->in = 1; return j->out; }",
        "never written", "undefined",
    ),
    "a negative size": ("int main(void) { return malloc(-2) != 0; }", "negative size", "undefined"),
    "an odd alignment": ("int main(void) { return aligned_alloc(3, 9) != 0; }", "power of two", "undefined"),
}  # fmt: skip
RIGHT = {
    "joined in time": (
        "static void *work(void *arg) { struct job *j = arg; j->out = j->in; return 0; }"
        "static int run(int in) { struct job j = {in, 0}; pthread_t t;"
        " pthread_create(&t, 0, work, &j); pthread_join(t, 0); return j.out; }"
        "int main(void) { int sum = 0; for (int i = 0; i < 2; i++) sum += run(i);"
        " assert(sum == 1); return 0; }"
    ),
    "locals of main": (
        "static void *work(void *arg) { *(int *)arg = 1; return 0; }"
        "int main(void) { int x; pthread_t t; pthread_create(&t, 0, work, &x); return 0; }"
    ),
    "taken back in time": (
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
        "static void *first(void *unused) { int x = 0; pthread_mutex_lock(&m); kept = &x;"
        " pthread_mutex_unlock(&m); pthread_mutex_lock(&m); kept = 0; pthread_mutex_unlock(&m); return 0; }"
        "static void *second(void *unused) { pthread_mutex_lock(&m); if (kept) *kept = 1;"
        " pthread_mutex_unlock(&m); return 0; }" + TWO
    ),
    "copies and bit-fields of what is not all written": (
        "static struct flags changed(struct flags f) { f.high = 2; return f; }"
        "int main(void) { struct flags *f = malloc(sizeof *f), *g = malloc(sizeof *g);"
        " f->low = 1; memcpy(g, f, sizeof *g); *f = changed(*g); assert(f->high == 2 && f->low == 1);"
        " return 0; }"
    ),
    "a size and an alignment": "int main(void) { return aligned_alloc(8, 16) == 0; }",
}
HANDED_ON = """
static void *first(void *unused) {{
    struct job *j = calloc(1, sizeof *j);
    {fence}
    atomic_store_explicit(&posted, j, {store});
    return 0;
}}
static void *second(void *unused) {{
    struct job *j = atomic_load_explicit(&posted, {load});
    {after}
    if (j) atomic_store_explicit((atomic_int *)&j->out, 1, memory_order_relaxed);
    return 0;
}}
"""
RELAXED, RELEASE, ACQUIRE = (f"memory_order_{order}" for order in ("relaxed", "release", "acquire"))
FENCE = "atomic_thread_fence(memory_order_{});"


def asked(
    folder: Path, code: str, model: str, engine: str = "auto", goal: Property = Property.SAFETY
) -> Report:
    file = folder / "program.c"
    file.write_text(HEAD + code)
    (report,) = answers(str(file), [model], Options(seconds=60, properties=(goal,), engine=engine))
    return report


@pytest.mark.parametrize("name", WRONG)
def test_what_is_used_outside_its_life_fails(name: str, tmp_path: Path) -> None:
    code, told, violated = WRONG[name]
    for model, engine in (("sc", "auto"), ("tso", "lazy"), ("rc11", "auto"), ("power", "eager")):
        report = asked(tmp_path, code, model, engine, Property.MEMORY)
        assert (report["verdict"], report["violated"]) == ("FAIL", violated), (model, report["reason"])
        assert told in report["reason"]


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_used_within_its_life_passes(name: str, tmp_path: Path) -> None:
    for model, engine in (("sc", "auto"), ("tso", "lazy"), ("rc11", "auto")):
        report = asked(tmp_path, RIGHT[name], model, engine, Property.MEMORY)
        assert report["verdict"] == "PASS", (model, report["reason"])


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((RELAXED, RELAXED, "", ""), "FAIL"),
        ((RELEASE, RELAXED, "", ""), "FAIL"),
        ((RELAXED, ACQUIRE, "", ""), "FAIL"),
        ((RELEASE, ACQUIRE, "", ""), "PASS"),
        ((RELAXED, RELAXED, FENCE.format("release"), FENCE.format("acquire")), "PASS"),
        ((RELAXED, RELAXED, FENCE.format("seq_cst"), ""), "FAIL"),
    ],
)
def test_an_object_is_known_only_to_those_who_are_told(
    parts: tuple[str, str, str, str], expected: str, tmp_path: Path
) -> None:
    store, load, fence, after = parts
    code = HANDED_ON.format(store=store, load=load, fence=fence, after=after) + TWO
    for model, engine in (("rc11", "auto"), ("rc11", "states"), ("rc11", "lazy"), ("c11", "auto")):
        report = asked(tmp_path, code, model, engine, Property.MEMORY)
        assert report["verdict"] == expected, (model, engine, report["reason"])
        assert (UNORDERED in report["reason"]) == (expected == "FAIL"), (model, engine, report["reason"])
    assert asked(tmp_path, code, "tso", goal=Property.MEMORY)["verdict"] == "PASS"


def test_seq_cst_fences_that_only_order_do_not_tell_of_an_object(tmp_path: Path) -> None:
    """They exchange what is known of writes, which is not yet happens-before."""
    code = HANDED_ON.format(store=RELAXED, load=RELAXED, fence="", after="").replace(
        "return 0;", FENCE.format("seq_cst") + " return 0;", 1
    )
    code = code.replace(
        "struct job *j = atomic_load", FENCE.format("seq_cst") + " struct job *j = atomic_load"
    )
    for engine in ("auto", "states", "lazy"):
        assert asked(tmp_path, code + TWO, "rc11", engine, Property.MEMORY)["verdict"] == "FAIL"


def test_what_an_unknown_function_is_given_it_may_write(tmp_path: Path) -> None:
    code = "void fill(int *p); int main(void) { int *p = malloc(sizeof *p); fill(p); return *p; }"
    assert asked(tmp_path, code, "sc", goal=Property.MEMORY)["verdict"] == "PASS"


def test_memory_that_nobody_wrote_holds_any_number_where_only_assertions_count(tmp_path: Path) -> None:
    code = "int main(void) { int *p = malloc(sizeof *p); assert(*p %s 3); return 0; }"
    assert asked(tmp_path, code % "==", "sc", goal=Property.ASSERTION)["verdict"] == "FAIL"
    assert asked(tmp_path, (code % "!= 4 || *p !="), "sc", goal=Property.ASSERTION)["verdict"] == "PASS"
