"""Locks and queues of bench/locks by execution graphs: they hold, and with too weak orders they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.asking import spread

from treville.engines.contract import Decision, GaveUp, Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import program_task
from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.c import read_unit
from treville.questions.reachability import judge_again
from treville.results import Budget
from treville.results.properties import Property

pytest.importorskip("llvmlite")

PROGRAMS = Path(__file__).resolve().parents[2] / "bench" / "locks"
QUICK = ("cna", "hclh", "mcs", "michael_scott", "mpmc", "rwlock", "seqlock", "twa")
WEAKENED = ("clh", "mcs", "rwlock", "ticket")


def answer(file: Path, model: str, goal: Property = Property.ASSERTION) -> Decision:
    """What graphs say; a failing execution is judged again."""
    task = program_task(read_unit(file), Context(load_model(model), goal), None, Budget(60))
    decision = DECIDE["graphs"]().run(task)
    spread(decision)
    if isinstance(decision, Refuted):
        judge_again(decision, task.model)
    return decision


@pytest.mark.parametrize("name", QUICK)
def test_locks_and_queues_hold(name: str) -> None:
    assert isinstance(answer(PROGRAMS / f"{name}.c", "rc11"), Proved)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["rc11", "imm", "aarch64", "power"])
@pytest.mark.parametrize("file", sorted(PROGRAMS.glob("*.c")), ids=lambda file: str(file.stem))
def test_all_locks_and_queues_hold(file: Path, model: str) -> None:
    if (file.stem, model) != ("treiber", "power"):
        assert isinstance(answer(file, model), Proved)


@pytest.mark.parametrize("name", WEAKENED)
def test_weaker_orders_are_too_weak(name: str, tmp_path: Path) -> None:
    for file in (*PROGRAMS.glob("*.h"), PROGRAMS / f"{name}.c"):
        text = file.read_text()
        for order in ("acquire", "acq_rel", "release"):
            text = text.replace(f"memory_order_{order}", "memory_order_relaxed")
        (tmp_path / file.name).write_text(text)
    weak = tmp_path / f"{name}.c"
    assert isinstance(answer(weak, "rc11", Property.RACE), Refuted)
    assert isinstance(answer(weak, "rc11"), Refuted)
    assert isinstance(answer(weak, "aarch64"), Refuted)


TRIED = """
#include "client.h"
static struct node { struct node *_Atomic next; atomic_int locked; } nodes[THREADS];
static struct node *_Atomic tail;
static int try_enter(struct node *mine)
{
    struct node *expected = NULL;
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(
        &tail, &expected, mine, memory_order_acq_rel, memory_order_acquire);
}
static void enter(int self) { while (!try_enter(&nodes[self])) ; }
static void leave(int self) { atomic_store_explicit(&tail, NULL, ORDER); }
"""
RECURSIVE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int level[5];
static int sum;
static int take(int depth) { return depth == 5 ? 0 : atomic_fetch_add(&level[depth], 1) + take(depth + 1); }
static void *client(void *unused) { sum = take(0); return NULL; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, client, NULL);
    pthread_join(thread, NULL);
    assert(sum == 0);
    return 0;
}
"""
FREED = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int done;
static void *client(void *argument)
{
    atomic_fetch_add((atomic_int *)argument, 1);
    atomic_store_explicit(&done, 1, memory_order_release);
    return LAST ? argument : (void *)(long)atomic_load((atomic_int *)argument);
}
int main(void)
{
    pthread_t thread;
    atomic_int *cell = malloc(sizeof *cell);
    atomic_init(cell, 0);
    pthread_create(&thread, NULL, client, cell);
    while (!atomic_load_explicit(&done, memory_order_acquire))
        ;
    free(cell);
    pthread_join(thread, NULL);
    return 0;
}
"""


def written(folder: Path, text: str, **values: str) -> Path:
    """A file with a program, in which names stand for values."""
    for name, value in values.items():
        text = text.replace(name, value)
    (folder / "client.h").write_text((PROGRAMS / "client.h").read_text())
    (folder / "program.c").write_text(text)
    return folder / "program.c"


@pytest.mark.parametrize("model", ["rc11", "imm", "aarch64", "power"])
def test_each_round_may_write_its_node_again(tmp_path: Path, model: str) -> None:
    assert isinstance(answer(written(tmp_path, TRIED, ORDER="memory_order_release"), model), Proved)
    assert isinstance(answer(written(tmp_path, TRIED, ORDER="memory_order_relaxed"), model), Refuted)


def test_recursion_goes_as_deep_as_it_takes(tmp_path: Path) -> None:
    assert isinstance(answer(written(tmp_path, RECURSIVE), "rc11"), Proved)


@pytest.mark.parametrize("model", ["rc11", "imm"])
def test_what_is_freed_must_not_be_in_use(tmp_path: Path, model: str) -> None:
    assert isinstance(answer(written(tmp_path, FREED, LAST="1"), model, Property.SAFETY), Proved)
    assert isinstance(answer(written(tmp_path, FREED, LAST="0"), model, Property.SAFETY), GaveUp)


REPLACED = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define GET(place) atomic_load_explicit(&place, memory_order_relaxed)
#define SET(place, value) atomic_store_explicit(&place, value, memory_order_relaxed)
static atomic_int first = 1, second, go, last;
static int seen = 1;
static void *reader(void *unused)
{
    int got = GET(first), before = got;
    ROUNDS
    SET(last, got + 1);
    seen = before;
    return NULL;
}
static void *writer(void *unused)
{
    SET(last, 2);
    atomic_thread_fence(memory_order_seq_cst);
    SET(first, 0);
    return NULL;
}
static void *starter(void *unused) { SET(go, 1); return NULL; }
int main(void)
{
    void *(*bodies[])(void *) = { reader, writer, starter };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    assert(seen != 0 || last != 2);
    return 0;
}
"""
OF_TWO_READS = "while (!GET(go)) got = GET(second);"
OF_ONE_READ = "for (int found; !(found = GET(go)); ) got = found;"


@pytest.mark.parametrize("model", ["aarch64", "power"])
@pytest.mark.parametrize("rounds", [OF_TWO_READS, OF_ONE_READ])
def test_a_round_may_end_a_dependency(tmp_path: Path, model: str, rounds: str) -> None:
    """It finds the same number elsewhere, so what is written with that need not wait for the first read."""
    assert isinstance(answer(written(tmp_path, REPLACED, ROUNDS=rounds), model), Refuted)
    kept = rounds.replace("got = found", "").replace("got = GET(second)", "GET(second)")
    assert isinstance(answer(written(tmp_path, REPLACED, ROUNDS=kept), model), Proved)
