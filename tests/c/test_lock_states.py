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
    "READ_UNLOCKED": "read-write lock that the thread does not hold",
}


def asked(
    folder: Path, define: str, model: str, goal: Property, engine: str = "auto", code: str = PROGRAM
) -> Report:
    file = folder / "locks.c"
    file.write_text(code)
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


ELSEWHERE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { pthread_mutex_t lock; pthread_barrier_t meeting; struct node *next; int value; };
static _Atomic(struct node *) head;
static pthread_mutex_t *_Atomic found;
static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;

static struct node *made(int value, struct node *next) {
    struct node *n = malloc(sizeof *n);
#ifndef UNSET
    pthread_mutex_init(&n->lock, 0);
#endif
#ifndef NO_BARRIER
    pthread_barrier_init(&n->meeting, 0, 1);
#endif
    n->value = value;
    n->next = next;
    return n;
}

static void *first(void *unused) {
    struct node *n = head, *m = n->next;
    pthread_mutex_lock(&n->lock);
    pthread_mutex_lock(&m->lock);
#ifndef HANDED_OVER
    pthread_mutex_unlock(&n->lock);
#endif
    m->value++;
    ready = 1;
#ifdef DESTROYED_EARLY
    pthread_mutex_destroy(&m->lock);
#endif
    pthread_mutex_unlock(&m->lock);
    pthread_barrier_wait(&n->meeting);
    return 0;
}

static void *second(void *unused) {
#ifdef HANDED_OVER
    if (ready)
        pthread_mutex_unlock(&head->lock);
#else
    struct node *n = head->next;
    if (pthread_mutex_trylock(&n->lock) == 0) {
        n->value++;
        pthread_mutex_unlock(&n->lock);
    }
#endif
    pthread_mutex_t *other = found;
    if (ready)
        pthread_mutex_lock(other);
    else
        pthread_mutex_lock(&global);
#ifndef OTHER_LEFT
    pthread_mutex_unlock(&global);
#else
    pthread_mutex_unlock(&head->lock);
#endif
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    found = &global;
    head = made(1, made(2, 0));
    pthread_mutex_unlock(&own);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(head->next->value <= 4);
    pthread_mutex_destroy(&own);
#ifdef DESTROYED
    pthread_mutex_lock(&own);
#elif defined(BARRIER_DESTROYED)
    pthread_barrier_destroy(&head->meeting);
    pthread_barrier_wait(&head->meeting);
#endif
    return 0;
}
"""
WRONG_ELSEWHERE = {
    "UNSET": "never written",
    "NO_BARRIER": "barrier",
    "HANDED_OVER": "does not hold",
    "OTHER_LEFT": "does not hold",
    "DESTROYED": "was destroyed",
    "DESTROYED_EARLY": "that is locked",
    "BARRIER_DESTROYED": "not initialised",
}


@pytest.mark.parametrize("define", ["", *WRONG_ELSEWHERE])
def test_locks_in_other_objects_are_known_by_their_addresses(define: str, tmp_path: Path) -> None:
    for model, engine in (("sc", "auto"), ("rc11", "auto"), ("tso", "lazy"), ("power", "lazy")):
        report = asked(tmp_path, define, model, Property.MEMORY, engine, ELSEWHERE)
        assert report["verdict"] == ("FAIL" if define else "PASS"), (model, report["reason"])
        assert not define or WRONG_ELSEWHERE[define] in report["reason"]
