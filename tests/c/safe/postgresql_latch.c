/* PostgreSQL's latch (T. Lane's report of 2011 on lost wake-ups; J. Alglave, D. Kroening, V. Nimal,
 * M. Tautschnig, Software verification for weak memory via program transformation, ESOP 2013): two workers hand
 * work over, each sets the other's flag and then its latch; who finds his latch set resets it and looks for
 * work.
 *
 * As it was, that is without fences, work gets lost: the reset of the own latch can be delayed beyond the read
 * of the flag (TSO), and the flag's store beyond that of the latch (PSO). A worker that sleeps although it has
 * work does so for ever, if the other one is not going to wake it any more.
 *
 * -DF=1: a fence between resetting the latch and reading the flag (TSO). -DF=2: after every store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef F
#define F 0
#endif
#ifdef ATOMIC
typedef _Atomic int shared;
#else
typedef volatile int shared;
#endif
#define full_fence() atomic_thread_fence(memory_order_seq_cst)
#if F == 2
#define STORE(variable, value) do { (variable) = (value); full_fence(); } while (0)
#else
#define STORE(variable, value) do { (variable) = (value); } while (0)
#endif
#if F == 1
#define FENCE() full_fence()
#else
#define FENCE() ((void)0)
#endif

static shared latch = 1, work; /* the latch is still set from an earlier piece of work */
static int found_work;

static void *worker(void *unused) {
    if (latch) {
        STORE(latch, 0);
        FENCE();
        found_work = work;
    }
    return 0;
}

static void *boss(void *unused) {
    STORE(work, 1);
    STORE(latch, 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, worker, 0);
    pthread_create(&threads[1], 0, boss, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(found_work || latch); /* else it sleeps, and has work */
    return 0;
}
