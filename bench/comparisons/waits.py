"""Random programs with threads that wait, also with a limit of time, that share and free memory, and that
call through pointers.

A program is made of a few parts, each a function that starts threads and returns a number. In most the number
is the same in every run; in others it depends on who comes first, and then what a native run saw must be
something that the program can do.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from files import Written


class Part(NamedTuple):
    """C with `@` before every own name and `$` for random small numbers; `@part` returns the number."""

    text: str
    always: bool = True


_SOON = (
    "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 1000;"
    " if (t.tv_nsec >= 1000000000) { t.tv_sec++; t.tv_nsec -= 1000000000; }"
)
_LOCK = "static pthread_mutex_t @m = PTHREAD_MUTEX_INITIALIZER;"
_COND = _LOCK + " static pthread_cond_t @c = PTHREAD_COND_INITIALIZER; static int @flag;"
_RUN = "pthread_t id; pthread_create(&id, 0, @thread, 0);"
_RUN2 = (
    "pthread_t a, b; pthread_create(&a, 0, @thread, (void *)$L);"
    " pthread_create(&b, 0, @thread, (void *)($L + 3));"
)
_JOIN2 = "pthread_join(a, 0); pthread_join(b, 0);"

PARTS = (
    # nobody signals: the wait ends when its time is over
    Part(
        f"{_COND} static unsigned @part(void) {{ {_SOON} int rc = 0; pthread_mutex_lock(&@m);"
        " while (!@flag && rc == 0) rc = pthread_cond_timedwait(&@c, &@m, &t);"
        " pthread_mutex_unlock(&@m); return rc == ETIMEDOUT ? $ : 99; }"
    ),
    # somebody signals, and the waiter waits as long as it takes
    Part(
        f"{_COND} static int @data; static void *@thread(void *u) {{ pthread_mutex_lock(&@m); @data = $;"
        " @flag = 1; pthread_cond_signal(&@c); pthread_mutex_unlock(&@m); return 0; }"
        f" static unsigned @part(void) {{ {_RUN} pthread_mutex_lock(&@m);"
        " while (!@flag) pthread_cond_wait(&@c, &@m); unsigned r = @data; pthread_mutex_unlock(&@m);"
        " pthread_join(id, 0); return r; }"
    ),
    # somebody may signal in time
    Part(
        f"{_COND} static void *@thread(void *u) {{ pthread_mutex_lock(&@m); @flag = $;"
        " pthread_cond_broadcast(&@c); pthread_mutex_unlock(&@m); return 0; }"
        f" static unsigned @part(void) {{ {_RUN} {_SOON} int rc = 0; pthread_mutex_lock(&@m);"
        " while (!@flag && rc == 0) rc = pthread_cond_timedwait(&@c, &@m, &t);"
        " unsigned r = @flag * 2 + (rc != 0); pthread_mutex_unlock(&@m); pthread_join(id, 0); return r; }",
        always=False,
    ),
    # a lock that is held, tried by another thread
    Part(
        f"{_LOCK} static int @got; static void *@thread(void *u) {{ {_SOON}"
        " @got = pthread_mutex_trylock(&@m);"
        " @got = @got * 1000 + pthread_mutex_timedlock(&@m, &t); return 0; }"
        f" static unsigned @part(void) {{ pthread_mutex_lock(&@m); {_RUN} pthread_join(id, 0);"
        " pthread_mutex_unlock(&@m); return @got == EBUSY * 1000 + ETIMEDOUT ? $ : 98; }"
    ),
    # a lock that may be held
    Part(
        f"{_LOCK} static int @got; static void *@thread(void *u) {{ @got = pthread_mutex_trylock(&@m);"
        " if (@got == 0) pthread_mutex_unlock(&@m); return 0; }"
        f" static unsigned @part(void) {{ {_RUN} pthread_mutex_lock(&@m); pthread_mutex_unlock(&@m);"
        " pthread_join(id, 0); return @got == EBUSY ? 1 : @got ? 97 : 0; }",
        always=False,
    ),
    # semaphores: posted, tried, waited for with a limit
    Part(
        f"static sem_t @s; static void *@thread(void *u) {{ sem_wait(&@s); return 0; }}"
        f" static unsigned @part(void) {{ {_SOON} sem_init(&@s, 0, $); int v; sem_getvalue(&@s, &v); {_RUN}"
        " sem_post(&@s); pthread_join(id, 0); int w; sem_getvalue(&@s, &w);"
        " while (sem_trywait(&@s) == 0) w += 10; int e = errno; int rc = sem_timedwait(&@s, &t);"
        " return v + w * 7 + (e == EAGAIN) + (rc == -1 && errno == ETIMEDOUT) * 3; }"
    ),
    # nodes of a heap list with bit-fields, made by threads and freed by the first one
    Part(
        "struct @node { struct @node *next; unsigned a : 3, b : 7; signed char c; };"
        f" {_LOCK} static struct @node *@head; static void *@thread(void *u) {{"
        " struct @node *n = malloc(sizeof *n); n->a = (intptr_t)u; n->b = 100 + (intptr_t)u; n->c = -$;"
        " pthread_mutex_lock(&@m); n->next = @head; @head = n; pthread_mutex_unlock(&@m); return 0; }"
        f" static unsigned @part(void) {{ {_RUN2} {_JOIN2} unsigned s = 0; while (@head) {{"
        " struct @node *n = @head; @head = n->next; s += n->a * 5 + n->b + n->c; free(n); } return s; }"
    ),
    # structs by value through pointers to functions, kept in a table
    Part(
        "struct @pair { short x; int y; }; typedef struct @pair (*@kind)(struct @pair, int);"
        " static struct @pair @add(struct @pair p, int n) { p.x += n; return p; }"
        " static struct @pair @swap(struct @pair p, int n) { struct @pair q = { p.y, p.x + n }; return q; }"
        " static @kind const @table[3] = { @add, @swap, @add }; static struct @pair @out[8];"
        " static void *@thread(void *u) { int n = (int)(long)u & 7; struct @pair p = { n, $ };"
        " for (int i = 0; i < 2; i++) p = @table[(n + i) % 3](p, i); @out[n] = p; return &@out[n]; }"
        f" static unsigned @part(void) {{ {_RUN2} void *p, *q; pthread_join(a, &p); pthread_join(b, &q);"
        " struct @pair *v = p, *w = q; return v->x + v->y * 3 + w->x * 5 + w->y * 7; }"
    ),
    # a plain struct behind a release store
    Part(
        "struct @data { char k; long v; unsigned char b[3]; }; static struct @data @d;"
        " static atomic_int @ready; static void *@thread(void *u) { @d = (struct @data){ $, -$, { 1, $ } };"
        " atomic_store_explicit(&@ready, 1, memory_order_release); return 0; }"
        f" static unsigned @part(void) {{ {_RUN}"
        " while (!atomic_load_explicit(&@ready, memory_order_acquire));"
        " struct @data c = @d; pthread_join(id, 0); return c.k + (unsigned)c.v * 3 + c.b[1] * 5 + c.b[2]; }"
    ),
    # who comes first gets the smaller number
    Part(
        "static atomic_uint @next; static unsigned @mine[2]; static void *@thread(void *u) {"
        " @mine[(long)u > 3] = atomic_fetch_add_explicit(&@next, 1, memory_order_relaxed); return 0; }"
        f" static unsigned @part(void) {{ pthread_t a, b; pthread_create(&a, 0, @thread, (void *)1);"
        f" pthread_create(&b, 0, @thread, (void *)9); {_JOIN2} return @mine[0] * 2 + @mine[1] * 5; }}",
        always=False,
    ),
    # once, and thread-local variables
    Part(
        "static pthread_once_t @o = PTHREAD_ONCE_INIT; static int @times; static _Thread_local int @own = $;"
        " static void @first(void) { @times++; } static void *@thread(void *u) { pthread_once(&@o, @first);"
        " @own += (intptr_t)u; int *p = &@own; *p *= 2; return (void *)(intptr_t)@own; }"
        f" static unsigned @part(void) {{ {_RUN2} void *p, *q; pthread_join(a, &p); pthread_join(b, &q);"
        " return @times * 100 + (int)(intptr_t)p + 3 * (int)(intptr_t)q + @own; }"
    ),
    # read-write locks
    Part(
        "static pthread_rwlock_t @l = PTHREAD_RWLOCK_INITIALIZER; static int @r[2], @v;"
        " static void *@thread(void *u) { @r[0] = pthread_rwlock_tryrdlock(&@l);"
        " if (!@r[0]) { @v += 0; pthread_rwlock_unlock(&@l); } @r[1] = pthread_rwlock_trywrlock(&@l);"
        f" return 0; }} static unsigned @part(void) {{ pthread_rwlock_rdlock(&@l); {_RUN}"
        " pthread_join(id, 0); pthread_rwlock_unlock(&@l); pthread_rwlock_wrlock(&@l); @v = $;"
        " pthread_rwlock_unlock(&@l); return (@r[0] == 0) + 2 * (@r[1] == EBUSY) + @v * 4; }"
    ),
    # a barrier: one thread is told so
    Part(
        "static pthread_barrier_t @b; static int @before[2], @sum[2], @serial[2];"
        " static void *@thread(void *u) { int n = (long)u > 3; @before[n] = $ + n;"
        " @serial[n] = pthread_barrier_wait(&@b) == PTHREAD_BARRIER_SERIAL_THREAD;"
        " @sum[n] = @before[0] + @before[1]; return 0; }"
        " static unsigned @part(void) { pthread_barrier_init(&@b, 0, 2);"
        " pthread_t a, b; pthread_create(&a, 0, @thread, (void *)1);"
        f" pthread_create(&b, 0, @thread, (void *)9); {_JOIN2} pthread_barrier_destroy(&@b);"
        " return @sum[0] * 3 + @sum[1] + @serial[0] + @serial[1]; }"
    ),
    # tagged pointers, copies, and memory that grows
    Part(
        "static void *@thread(void *u) { uintptr_t w = (uintptr_t)u; int tag = w & 1;"
        " int *p = (int *)(w & ~1ul); p = realloc(p, 4 * sizeof *p); p[2] = tag + p[0]; p[3] = $; return p; }"
        " static unsigned @part(void) { int *p = malloc(2 * sizeof *p); p[0] = $; p[1] = -$; pthread_t id;"
        " pthread_create(&id, 0, @thread, (void *)((uintptr_t)p | 1)); void *r; pthread_join(id, &r);"
        " int c[4]; memcpy(c, r, sizeof c); free(r); return c[0] + c[1] * 3 + c[2] * 5 + c[3] * 7; }"
    ),
    # a counter without a lock, by compare and exchange
    Part(
        "static _Atomic unsigned short @n; static void *@thread(void *u) {"
        " unsigned short old = atomic_load(&@n);"
        " while (!atomic_compare_exchange_weak(&@n, &old, old * 2 + $));"
        f" return 0; }} static unsigned @part(void) {{ {_RUN2} {_JOIN2} return @n; }}"
    ),
    # store buffering with bytes of one struct
    Part(
        "static struct { atomic_uchar x, y; } @s; static unsigned char @seen;"
        " static void *@thread(void *u) { atomic_store_explicit(&@s.x, 1, memory_order_relaxed);"
        " @seen = atomic_load_explicit(&@s.y, memory_order_relaxed); return 0; }"
        f" static unsigned @part(void) {{ {_RUN} atomic_store_explicit(&@s.y, 1, memory_order_relaxed);"
        " int r = atomic_load_explicit(&@s.x, memory_order_relaxed); pthread_join(id, 0);"
        " return r * 2 + @seen; }",
        always=False,
    ),
)


def program(rng: random.Random, prefix: str) -> Written:
    """One or two parts."""
    chosen = [rng.choice(PARTS) for _ in range(rng.choice((1, 1, 2)))]
    lines, always = [], all(part.always for part in chosen)
    for number, part in enumerate(chosen):
        text = part.text.replace("@", f"{prefix}{number}")
        while "$" in text:
            text = text.replace("$", str(rng.randint(1, 6)), 1)
        lines.append(text)
    parts = " ".join(f"MIX(h, {prefix}{number}part());" for number in range(len(chosen)))
    word = "CHECK" if always else "REACHED"
    lines.append(f"void {prefix}main(void) {{ unsigned long h = 5; {parts} {word}(h); }}")
    return Written(prefix, "\n".join(lines), always)
