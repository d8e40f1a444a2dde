"""What `treville check` looks for by default, and what SV-COMP's names ask for: each with and without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting import Options, Report, answers

from treville.cli.main import main
from treville.results.properties import Property

pytest.importorskip("llvmlite")

# Two threads and a cell; the macro says how it is accessed.
SHARED = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifdef ATOMIC
atomic_int cell;
#else
int cell;
#endif
static void *set(void *unused) { cell = 1; return 0; }
static void *get(void *unused) { int seen = cell; assert(seen < 2); return 0; }
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, set, 0);
    pthread_create(&two, 0, get, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
"""
# A heap object that is lost, kept in a global, kept by an object that a global keeps, or freed.
HEAP = """
#include <stdlib.h>
struct node { struct node *next; };
struct node *kept;
int main(void) {
    struct node *node = malloc(sizeof *node);
    node->next = 0;
#ifdef KEPT
    kept = node;
#elif defined(CHAINED)
    kept = malloc(sizeof *kept);
    kept->next = node;
#elif defined(CIRCLE)
    node->next = node;
#elif defined(FREED)
    free(node);
#elif defined(TWICE)
    free(node);
    free(node);
#elif defined(NOWHERE)
    free(node);
    kept->next = 0;
#endif
    return 0;
}
"""
# The thread is started although its number goes nowhere.
NAMELESS = """
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
_Atomic int done;
static void *work(void *unused) { done = 1; return 0; }
int main(void) {
    pthread_create(NULL, NULL, work, NULL);
    assert(!done);
    return 0;
}
"""
DIVIDES = """
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int by = __VERIFIER_nondet_int();
    int result = 8 / by;
    assert(by != 8 || result == 1);
    return 0;
}
"""
# Whoever reads last frees, but nothing orders the other's read before that.
FREED_UNORDERED = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *shared;
atomic_int readers;
static void *work(void *unused) {
    int seen = *shared;
    assert(seen == 7);
    if (atomic_fetch_add_explicit(&readers, 1, memory_order_relaxed) == 1) free(shared);
    return 0;
}
int main(void) {
    pthread_t one, two;
    shared = malloc(sizeof *shared);
    *shared = 7;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    return 0;
}
"""


def asked(folder: Path, text: str, model: str, goal: Property = Property.SAFETY, define: str = "") -> Report:
    """The report about a program."""
    file = folder / "program.c"
    file.write_text(text)
    options = Options(seconds=60, defines=(define,) if define else (), properties=(goal,))
    (report,) = answers(str(file), [model], options)
    return report


@pytest.mark.parametrize("model", ["rc11", "c11", "imm"])
def test_a_data_race_is_no_pass_where_the_model_defines_it(tmp_path: Path, model: str) -> None:
    racy = asked(tmp_path, SHARED, model)
    assert (racy["verdict"], racy["violated"], racy["property"]) == ("FAIL", "race", "safety")
    assert racy["witness"]["race"]
    calm = asked(tmp_path, SHARED, model, define="ATOMIC")
    assert (calm["verdict"], calm["violated"]) == ("PASS", None)
    assert "no data race" in calm["reason"]
    assert asked(tmp_path, SHARED, model, Property.ASSERTION)["verdict"] == "PASS"


def test_hardware_has_no_undefined_behaviour(tmp_path: Path) -> None:
    for model in ("sc", "tso", "power"):
        report = asked(tmp_path, SHARED, model)
        assert report["verdict"] == "PASS"
        assert "race" not in report["reason"]


def test_a_model_that_leaves_races_undefined_is_told_by_its_content(tmp_path: Path) -> None:
    model = tmp_path / "own.cat"
    model.write_text(
        '"own"\nacyclic po | rf | co | fr\n'
        "let conflict = ((W * M) | (M * W)) & loc & ext\n"
        "undefined_unless empty conflict \\ ((IW * M) | (M * IW)) as unordered\n"
    )
    assert asked(tmp_path, SHARED, str(model))["violated"] == "race"


@pytest.mark.parametrize(
    ("define", "lost"),
    [("", True), ("CIRCLE", True), ("KEPT", False), ("CHAINED", False), ("FREED", False)],
)
@pytest.mark.parametrize("model", ["sc", "tso"])
def test_leaks(tmp_path: Path, model: str, define: str, lost: bool) -> None:
    report = asked(tmp_path, HEAP, model, Property.VALID_MEMSAFETY, define)
    assert (report["verdict"], report["violated"]) == (("FAIL", "leak") if lost else ("PASS", None))
    assert asked(tmp_path, HEAP, model, define=define)["verdict"] == "PASS"


def test_the_parts_of_memory_safety(tmp_path: Path) -> None:
    goals = (Property.VALID_DEREF, Property.VALID_FREE, Property.ASSERTION, Property.VALID_MEMSAFETY)
    twice = [asked(tmp_path, HEAP, "sc", goal, "TWICE")["violated"] for goal in goals]
    assert twice == [None, "free", None, "free"]
    nowhere = [asked(tmp_path, HEAP, "sc", goal, "NOWHERE")["violated"] for goal in goals]
    assert nowhere == ["access", None, None, "access"]


def test_a_thread_without_a_number_is_started_where_only_assertions_count(tmp_path: Path) -> None:
    for model in ("sc", "power"):
        assert asked(tmp_path, NAMELESS, model, Property.ASSERTION)["violated"] == "assertion"
        assert asked(tmp_path, NAMELESS, model, Property.MEMORY)["violated"] == "access"


def test_a_division_by_zero_is_undefined_and_no_assertion(tmp_path: Path) -> None:
    assert asked(tmp_path, DIVIDES, "sc")["violated"] == "undefined"
    assert asked(tmp_path, DIVIDES, "sc", Property.ASSERTION)["verdict"] == "PASS"
    assert asked(tmp_path, DIVIDES, "sc", Property.VALID_MEMSAFETY)["verdict"] == "PASS"


def test_overflows_are_not_looked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", "any.c", "--property", "no-overflow"])
    assert stopped.value.code == 2
    assert "not supported" in capsys.readouterr().err


def test_runs_with_errors_of_memory_do_not_upset_other_questions(tmp_path: Path) -> None:
    wrong = SHARED.replace("cell = 1;", "*(volatile int *)0 = 1; cell = 1;")
    for goal in (Property.DEADLOCK, Property.LIVENESS, Property.RACE):
        for model in ("sc", "tso"):
            assert asked(tmp_path, wrong, model, goal)["status"] != "error"


@pytest.mark.parametrize("model", ["imm", "c11"])
def test_a_use_after_free_is_no_failing_assertion(tmp_path: Path, model: str) -> None:
    """Also where nothing but a missing order tells that the object may be gone."""
    report = asked(tmp_path, FREED_UNORDERED, model, Property.ASSERTION)
    assert report["violated"] is None
    assert asked(tmp_path, FREED_UNORDERED, model, Property.VALID_FREE)["violated"] is None
    assert asked(tmp_path, FREED_UNORDERED, model, Property.MEMORY)["violated"] == "access"


@pytest.mark.parametrize("joined", ["pthread_self()", "nobody"])
def test_joining_oneself_or_nobody_is_undefined(tmp_path: Path, joined: str) -> None:
    code = (
        "#include <pthread.h>\n"
        "static void *work(void *unused) { pthread_join(pthread_self(), 0); return 0; }\n"
        "int main(void) { pthread_t one, nobody = 0; pthread_create(&one, 0, work, 0);\n"
        "pthread_join(one, 0); return 0; }\n"
    )
    if joined == "nobody":
        code = code.replace("pthread_join(pthread_self(), 0);", "").replace("join(one", "join(nobody")
    for model in ("sc", "power"):
        assert asked(tmp_path, code, model)["violated"] == "undefined"
        assert asked(tmp_path, code, model, Property.ASSERTION)["verdict"] == "PASS"
    assert asked(tmp_path, code, "sc", Property.DEADLOCK)["verdict"] == "FAIL"


OBSERVED = """
#include <pthread.h>
#include <stdatomic.h>
#ifdef BRANCH
#include <assert.h>
#define CHECK(condition) assert(condition)
#else
#include <dat3m.h>
#define CHECK(condition) __VERIFIER_assert(condition)
#endif
atomic_int data, flag;
static void *first(void *unused) {
    int seen = atomic_load_explicit(&data, memory_order_relaxed);
    CHECK(seen == 0);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}
static void *second(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        atomic_store_explicit(&data, 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    return 0;
}
"""


@pytest.mark.parametrize("model", ["aarch64", "power", "imm", "rc11", "tso", "sc"])
def test_the_verifier_s_own_assertion_orders_nothing(tmp_path: Path, model: str) -> None:
    """The store behind it may come first where loads are delayed; behind a branch of the program's own it
    waits for the load."""
    delays = model in ("aarch64", "power", "imm")
    found = asked(tmp_path, OBSERVED, model, Property.ASSERTION)["verdict"]
    assert found == ("FAIL" if delays else "PASS")
    assert asked(tmp_path, OBSERVED, model, Property.ASSERTION, "BRANCH")["verdict"] == "PASS"


def test_what_follows_a_failing_assertion_of_the_verifier_spoils_nothing(tmp_path: Path) -> None:
    code = "#include <dat3m.h>\nint *none;\nint main(void) { __VERIFIER_assert(none != 0); return *none; }\n"
    for model in ("sc", "power", "rc11"):
        assert asked(tmp_path, code, model, Property.ASSERTION)["violated"] == "assertion"


PARTS = """
#include <stdlib.h>
char *volatile kept;
int main(void) {
    kept = malloc(1);
    char *old = kept;
    ((volatile char *)&kept)[5] = 7;
#ifdef RESTORED
    kept = old;
#endif
    return 0;
}
"""


def test_pointers_that_are_written_in_parts_are_no_leaks(tmp_path: Path) -> None:
    lost = asked(tmp_path, PARTS, "sc", Property.VALID_MEMTRACK)
    assert (lost["verdict"], lost["violated"]) == ("FAIL", "leak")
    restored = asked(tmp_path, PARTS, "sc", Property.VALID_MEMTRACK, "RESTORED")
    assert restored["verdict"] == "UNKNOWN"
    assert "in parts" in restored["reason"]


@pytest.mark.parametrize(
    ("alignment", "verdict"), [("64", "PASS"), ("any", "UNKNOWN"), ("any % 4096", "PASS"), ("24", "PASS")]
)
def test_objects_are_aligned_as_asked(tmp_path: Path, alignment: str, verdict: str) -> None:
    code = (
        "#include <assert.h>\n#include <stdlib.h>\nunsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n"
        "size_t any = __VERIFIER_nondet_uint(); (void)any;\n"
        f"size_t alignment = {alignment}; if (!alignment) return 0;\n"
        "char *object = aligned_alloc(alignment, 8); assert((size_t)object % alignment == 0); return 0; }\n"
    )
    report = asked(tmp_path, code, "power", Property.ASSERTION)
    assert report["verdict"] == verdict


def test_copies_that_are_checked(tmp_path: Path) -> None:
    code = """
#include <assert.h>
#include <stddef.h>
int memcpy_s(void *, size_t, const void *, size_t);
void *__memset_chk(void *, int, size_t, size_t);
int a[3] = {1, 2, 3}, b[3] = {4, 5, 6};
int main(void) {
    assert(memcpy_s(b, 2 * sizeof *b, a, 2 * sizeof *a) == 0 && b[0] == 1 && b[1] == 2 && b[2] == 6);
    assert(memcpy_s(b, 2 * sizeof *b, a, sizeof a) != 0 && b[0] == 0 && b[1] == 0 && b[2] == 6);
    assert(memcpy_s(0, 8, a, 8) != 0 && memcpy_s(b, sizeof b, b, sizeof b) != 0 && b[2] == 0);
    __memset_chk(a, -1, sizeof a, sizeof a);
    assert(a[0] == -1 && a[2] == -1);
    return 0;
}
"""
    for model in ("sc", "power"):
        assert asked(tmp_path, code, model)["verdict"] == "PASS"
