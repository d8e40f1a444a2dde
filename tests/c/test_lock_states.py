"""Mutexes, read-write locks and barriers that are used as POSIX does not define, and as it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting import Options, Report, answers

from treville.results.properties import Property

pytest.importorskip("llvmlite")

PROGRAM = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, made;
pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
atomic_int ready;
int data;

static void *first(void *unused) {
#if defined(HANDED_OVER)
    pthread_mutex_lock(&mutex);
    ready = 1;
#elif defined(DESTROYED)
    pthread_mutex_destroy(&made);
    ready = 1;
#elif defined(DESTROYED_EARLY)
    pthread_mutex_lock(&made);
    ready = 1;
    pthread_mutex_unlock(&made);
#elif defined(BARRIER_DESTROYED)
    pthread_barrier_destroy(&barrier);
    ready = 1;
#else
    pthread_mutex_lock(&mutex);
    data++;
    pthread_mutex_unlock(&mutex);
    ready = 1;
#endif
    return 0;
}

static void *second(void *unused) {
    if (!ready)
        return 0;
#if defined(HANDED_OVER)
    pthread_mutex_unlock(&mutex);
#elif defined(DESTROYED)
    pthread_mutex_lock(&made);
#elif defined(DESTROYED_EARLY)
    pthread_mutex_destroy(&made);
#elif defined(BARRIER_DESTROYED)
    pthread_barrier_wait(&barrier);
#elif defined(TRIED)
    if (pthread_mutex_trylock(&mutex) == 0)
        pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
#elif defined(READ_UNLOCKED)
    pthread_rwlock_unlock(&shared);
#else
    if (pthread_mutex_trylock(&mutex) == 0) {
        data++;
        pthread_mutex_unlock(&mutex);
    }
    pthread_rwlock_rdlock(&shared);
    pthread_rwlock_unlock(&shared);
#endif
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_mutex_init(&made, 0);
    pthread_barrier_init(&barrier, 0, 1);
#ifdef TWICE
    pthread_mutex_init(&made, 0);
#elif defined(AGAIN)
    pthread_mutex_destroy(&made);
    pthread_mutex_init(&made, 0);
#elif defined(BARRIER_TWICE)
    pthread_barrier_init(&barrier, 0, 2);
#elif defined(BARRIER_AGAIN)
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, 0, 1);
    pthread_barrier_wait(&barrier);
#endif
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(data < 3);
    return 0;
}
"""
WRONG = {
    "HANDED_OVER": "does not hold",
    "TRIED": "does not hold",
    "DESTROYED": "was destroyed",
    "DESTROYED_EARLY": "that is locked",
    "TWICE": "second initialisation of a mutex",
    "BARRIER_TWICE": "second initialisation of a barrier",
    "BARRIER_DESTROYED": "not initialised",
    "READ_UNLOCKED": "nobody holds",
}


def asked(folder: Path, define: str, model: str, goal: Property, engine: str = "auto") -> Report:
    file = folder / "locks.c"
    file.write_text(PROGRAM)
    options = Options(seconds=60, defines=(define,) if define else (), properties=(goal,), engine=engine)
    (report,) = answers(str(file), [model], options)
    return report


@pytest.mark.parametrize("define", WRONG)
def test_what_posix_does_not_define_fails(define: str, tmp_path: Path) -> None:
    for model, engine in (("sc", "auto"), ("rc11", "auto"), ("power", "auto"), ("tso", "lazy")):
        report = asked(tmp_path, define, model, Property.SAFETY, engine)
        assert (report["verdict"], report["violated"]) == ("FAIL", "undefined"), (model, report["reason"])
        assert WRONG[define] in report["reason"]


@pytest.mark.parametrize("define", ["", "AGAIN", "BARRIER_AGAIN"])
def test_what_posix_defines_passes(define: str, tmp_path: Path) -> None:
    for model, engine in (("sc", "auto"), ("rc11", "auto"), ("power", "auto"), ("tso", "lazy")):
        report = asked(tmp_path, define, model, Property.SAFETY, engine)
        assert report["verdict"] == "PASS", (model, report["reason"])


def test_a_mutex_that_is_handed_over_still_works_where_only_assertions_count(tmp_path: Path) -> None:
    for goal in (Property.ASSERTION, Property.VALID_MEMSAFETY):
        assert asked(tmp_path, "HANDED_OVER", "sc", goal)["verdict"] == "PASS"
