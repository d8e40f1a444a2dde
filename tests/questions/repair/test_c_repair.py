"""C programs are repaired where people can type it, and what is reported was compiled again."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.ir import Fence, Load, Program, Store
from treville.questions.repair.applying import applied
from treville.questions.repair.c_program import Asking, Compiling, CSubject
from treville.questions.repair.costs import Costs, read_costs
from treville.questions.repair.decide import Repaired, Wanted, repaired
from treville.questions.repair.sites import SiteKind, present, with_levels
from treville.results import Budget, Verdict
from treville.results.properties import Property

pytest.importorskip("llvmlite")

MAIN = """
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"""
MAILBOX = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static atomic_int ready;

static void *writer(void *argument)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return argument;
}

static void *reader(void *argument)
{
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        assert(data == 1);
    return argument;
}
""" + MAIN
MACRO = MAILBOX.replace(
    "static int data;", "#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)\nstatic int data;"
).replace("if (atomic_load_explicit(&ready, memory_order_relaxed))", "if (GET(ready))")
BUFFERING = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int x, y, a, b, done;

static void *writer(void *argument)
{
    x = 1;
    a = y;
    return argument;
}

static void *reader(void *argument)
{
    y = 1; b = x;
    return argument;
}
""" + MAIN.replace("    return 0;", "    assert(a || b);\n    return 0;")
KERNEL = """#include <lkmm.h>
#include <pthread.h>
#include <assert.h>
#include <stddef.h>

static int data, ready;

static void *writer(void *argument)
{
    data = 1;
    WRITE_ONCE(ready, 1);
    return argument;
}

static void *reader(void *argument)
{
    if (READ_ONCE(ready))
        assert(data == 1);
    return argument;
}
""" + MAIN
EXCHANGE = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int lock;
static int count;

static void *writer(void *argument)
{
    int free = 0;
    while (!atomic_compare_exchange_strong_explicit(
        &lock, &free, 1, memory_order_relaxed, memory_order_relaxed))
        free = 0;
    count++;
    atomic_store_explicit(&lock, 0, memory_order_relaxed);
    return argument;
}
#define reader writer
""" + MAIN


def ask(
    folder: Path,
    text: str,
    *models: str,
    wanted: Wanted | None = None,
    goal: Property = Property.SAFETY,
) -> tuple[CSubject, Repaired]:
    file = folder / "program.c"
    file.write_text(text)
    subject = CSubject(str(file), Compiling(), Asking(goal))
    contexts = [Context(load_model(name), goal) for name in models]
    return subject, repaired(subject, contexts, wanted or Wanted(), read_costs(), Budget(60))


def typed(found: Repaired) -> list[str]:
    """The lines that the patch adds."""
    return [line[1:].strip() for line in found.diff.splitlines() if line.startswith("+") and line[1] != "+"]


def test_the_mailbox_gets_release_and_acquire(tmp_path: Path) -> None:
    _, found = ask(tmp_path, MAILBOX, "rc11", "power")
    assert (found.verdict, found.optimal) == (Verdict.PASS, True)
    assert typed(found) == [
        "atomic_store_explicit(&ready, 1, memory_order_release);",
        "if (atomic_load_explicit(&ready, memory_order_acquire))",
    ]
    assert [(c.site.span.line, c.site.span.column) for c in found.changes] == [(12, 38), (18, 38)]
    assert all(change.forbids is not None for change in found.changes)


def test_names_of_files_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name files from here; a path from the root means the same file."""
    monkeypatch.chdir(tmp_path)
    _, found = ask(tmp_path, MAILBOX, "rc11")
    assert [change.site.span.file for change in found.changes] == ["program.c"] * 2
    assert found.diff.startswith("--- a/program.c\n+++ b/program.c\n")


def test_new_fences_get_lines_and_braces(tmp_path: Path) -> None:
    _, found = ask(tmp_path, MAILBOX, "rc11", wanted=Wanted(only="fences"))
    assert typed(found) == [
        "atomic_thread_fence(memory_order_release);",
        "if (atomic_load_explicit(&ready, memory_order_relaxed)) {",
        "atomic_thread_fence(memory_order_acquire);",
        "}",
    ]


def test_what_a_macro_does_is_changed_in_the_macro(tmp_path: Path) -> None:
    _, found = ask(tmp_path, MACRO, "rc11")
    assert "#define GET(x) atomic_load_explicit(&(x), memory_order_acquire)" in typed(found)


def test_plain_c_gets_the_fence_that_needs_no_header(tmp_path: Path) -> None:
    _, found = ask(tmp_path, BUFFERING, "tso")
    assert typed(found) == ["__sync_synchronize();", "y = 1; __sync_synchronize(); b = x;"]


def test_kernel_code_gets_primitives_of_the_kernel(tmp_path: Path) -> None:
    _, found = ask(tmp_path, KERNEL, "lkmm")
    assert typed(found) == ["smp_store_release(&ready, 1);", "if (smp_load_acquire(&ready))"]


@pytest.mark.parametrize("model", ["tso", "pso", "alpha", "power", "armv7", "aarch64", "riscv", "lkmm"])
def test_the_full_barrier_of_the_kernel_is_the_dearest(tmp_path: Path, model: str) -> None:
    (tmp_path / "program.c").write_text(KERNEL)
    subject = CSubject(str(tmp_path / "program.c"), Compiling(), Asking())
    costs = Costs(read_costs(), [Context(load_model(model), Property.SAFETY)])
    site = next(site for site in subject.sites if site.kind is SiteKind.GAP)
    prices = {level.text: costs.of(site, number) for number, level in enumerate(site.levels)}
    assert prices["smp_mb()"] >= max(prices["smp_wmb()"], prices["smp_rmb()"])
    assert prices["smp_mb()"] > prices[""] == 0


def test_kernel_code_on_hardware_gets_no_more_than_it_needs(tmp_path: Path) -> None:
    _, found = ask(tmp_path, KERNEL, "aarch64")
    assert typed(found) == ["smp_store_release(&ready, 1);", "if (smp_load_acquire(&ready))"]


def test_an_exchange_has_two_orders(tmp_path: Path) -> None:
    subject, found = ask(tmp_path, EXCHANGE, "rc11")
    assert found.verdict is Verdict.PASS
    assert typed(found)[0].endswith("memory_order_acquire, memory_order_relaxed))")
    assert len(subject.sources.failing) == 1


def test_weakening_ends_at_the_same_orders(tmp_path: Path) -> None:
    strong = MAILBOX.replace("memory_order_relaxed", "memory_order_seq_cst")
    _, found = ask(tmp_path, strong, "rc11", wanted=Wanted(weaken=True))
    assert typed(found) == [
        "atomic_store_explicit(&ready, 1, memory_order_release);",
        "if (atomic_load_explicit(&ready, memory_order_acquire))",
    ]
    assert len(found.needed) == 2
    assert all(each.forbids is not None for each in found.needed)


HEADER = """#ifndef BOX_H
#define BOX_H
#include <stdatomic.h>
#define PUT(x, value) atomic_store_explicit(&(x), value, memory_order_relaxed)
#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)
#endif
"""
WITH_HEADER = MAILBOX.replace("#include <stdatomic.h>", '#include "box.h"').replace(
    "atomic_store_explicit(&ready, 1, memory_order_relaxed)", "PUT(ready, 1)"
).replace("atomic_load_explicit(&ready, memory_order_relaxed)", "GET(ready)")  # fmt: skip


def test_headers_of_macros_are_changed_too(tmp_path: Path) -> None:
    (tmp_path / "box.h").write_text(HEADER)
    _, found = ask(tmp_path, WITH_HEADER, "rc11")
    assert [Path(change.site.span.file).name for change in found.changes] == ["box.h", "box.h"]
    assert typed(found) == [
        "#define PUT(x, value) atomic_store_explicit(&(x), value, memory_order_release)",
        "#define GET(x) atomic_load_explicit(&(x), memory_order_acquire)",
    ]


def test_orders_by_other_names_become_those_of_the_language(tmp_path: Path) -> None:
    named = MAILBOX.replace("memory_order_relaxed", "NONE").replace(
        "static int data;", "#define NONE memory_order_relaxed\nstatic int data;"
    )
    _, found = ask(tmp_path, named, "rc11")
    assert typed(found) == [
        "atomic_store_explicit(&ready, 1, memory_order_release);",
        "if (atomic_load_explicit(&ready, memory_order_acquire))",
    ]


def test_an_order_that_the_compiler_was_told_otherwise_stays(tmp_path: Path) -> None:
    given = MAILBOX.replace("memory_order_relaxed", "NONE").replace(
        "static int data;", "#ifndef NONE\n#define NONE memory_order_relaxed\n#endif\nstatic int data;"
    )
    (tmp_path / "given.c").write_text(given)
    compiling = Compiling(("NONE=memory_order_seq_cst",))
    subject = CSubject(str(tmp_path / "given.c"), compiling, Asking())
    assert not [site for site in subject.sites
                if site.kind is SiteKind.ACCESS and site.number in subject.usable]  # fmt: skip


PUT = """struct box { int item, full; };
void put(struct box *b)
{
    b->item = 1;
    __atomic_store_n(&b->full, 1, __ATOMIC_RELAXED);
}
"""
TAKE = """#include "orders.h"
struct box { int item, full; };
extern struct box b;
static atomic_int done;

static void *reader(void *argument)
{
    while (!__atomic_load_n(&b.full, __ATOMIC_RELAXED))
        atomic_fetch_add_explicit(&done, 0, memory_order_relaxed);
    assert(b.item == 1);
    return argument;
}

void put(struct box *b);
struct box b;

static void *writer(void *argument)
{
    put(&b);
    return argument;
}
""" + MAIN


def test_files_without_the_header_get_fences_that_need_none(tmp_path: Path) -> None:
    (tmp_path / "put.c").write_text(PUT)
    headers = "".join(f"#include <{name}.h>\n" for name in ("assert", "pthread", "stdatomic", "stddef"))
    (tmp_path / "orders.h").write_text(headers)
    (tmp_path / "take.c").write_text(TAKE)
    compiling = Compiling(others=(str(tmp_path / "put.c"),))
    subject = CSubject(str(tmp_path / "take.c"), compiling, Asking())
    contexts = [Context(load_model("rc11"), Property.SAFETY)]
    found = repaired(subject, contexts, Wanted(only="fences"), read_costs(), Budget(60))
    assert typed(found) == [
        "atomic_thread_fence(memory_order_acquire);",
        "__atomic_thread_fence(__ATOMIC_RELEASE);",
    ]


def test_what_was_made_of_another_file_is_not_changed(tmp_path: Path) -> None:
    made = MAILBOX.replace("static void *writer", '#line 7 "mailbox.y"\nstatic void *writer')
    subject, found = ask(tmp_path, made, "rc11")
    assert found.verdict is Verdict.FAIL
    assert subject.sites == []
    assert ["made of another file" in str(notice) for notice in subject.unchanged()] == [True]


def test_headers_from_elsewhere_are_not_changed(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "box.h").write_text(
        HEADER + "static inline void put(atomic_int *x)\n{\n    PUT(*x, 1);\n}\n"
    )
    text = WITH_HEADER.replace("box.h", "../box.h").replace("PUT(ready, 1)", "put(&ready)")
    subject, found = ask(tmp_path / "own", text, "rc11")
    assert found.verdict is Verdict.PASS
    assert {Path(change.site.span.file).name for change in found.changes} == {"program.c"}
    assert ["box.h is not changed" in str(notice) for notice in subject.unchanged()] == [True]


def test_a_race_is_told_with_its_lines(tmp_path: Path) -> None:
    _, found = ask(tmp_path, MAILBOX.replace("atomic_int ready", "int ready").replace(
        "atomic_store_explicit(&ready, 1, memory_order_relaxed)", "ready = 1"
    ).replace("atomic_load_explicit(&ready, memory_order_relaxed)", "ready"), "rc11",
        goal=Property.RACE)  # fmt: skip
    assert "data race: W[NA] ready=1 in line 12 and R[NA] ready=1 in line 18" in found.reason


def test_what_fails_in_every_order_fails(tmp_path: Path) -> None:
    _, found = ask(tmp_path, MAILBOX.replace("data == 1", "data == 2"), "rc11")
    assert found.verdict is Verdict.FAIL
    assert found.refuted is not None
    assert "assert(data == 2)" in found.reason


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch")
def test_the_patch_applies(tmp_path: Path) -> None:
    subject, found = ask(tmp_path, MAILBOX, "rc11", wanted=Wanted(only="fences"))
    where = str(tmp_path).lstrip("/")
    diff = found.diff.replace(f"/{where}/", "/")
    subprocess.run(["patch", "-p1", "-s"], input=diff, text=True, cwd=tmp_path, check=True)
    assert subject.confirm({}, load_model("rc11"), Budget(60)).verdict is Verdict.PASS


def _events(program: Program) -> list[list[tuple[str, frozenset[str]]]]:
    return [
        [
            (type(i).__name__, frozenset(tag for tag in i.tags if not tag.startswith("site ")))
            for i in body.instructions
            if isinstance(i, Load | Store | Fence)
        ]
        for body in program.bodies
    ]


@pytest.mark.parametrize("text", [MAILBOX, MACRO, BUFFERING, KERNEL], ids=["c11", "macro", "plain", "kernel"])
def test_what_is_searched_is_what_is_typed(tmp_path: Path, text: str) -> None:
    """The program of an assignment has the events that the compiler makes of its text."""
    file = tmp_path / "program.c"
    file.write_text(text)
    subject = CSubject(str(file), Compiling(), Asking())
    start = present(subject.sites)
    for site in subject.sites:
        if site.number in subject.usable:
            levels = range(len(site.levels)) if site.kind is SiteKind.ACCESS else (len(site.levels) - 1,)
            for level in levels:
                assignment = with_levels(start, {site.number: level})
                typed_program = subject.compiling.unit(str(file), subject.patched(assignment)).program(1)
                made = applied(subject.skeleton.program(1), subject.sites, assignment, frozenset())
                assert _events(typed_program) == _events(made), (site.span.line, site.levels[level])
