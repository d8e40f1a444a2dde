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
from treville.questions.repair.costs import read_costs
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


def ask(folder: Path, text: str, *models: str, wanted: Wanted | None = None) -> tuple[CSubject, Repaired]:
    file = folder / "program.c"
    file.write_text(text)
    subject = CSubject(str(file), Compiling(), Asking())
    contexts = [Context(load_model(name), Property.SAFETY) for name in models]
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
