/* The worker synchronisation of PostgreSQL (T. Lane's report of 2011 on the latch of the regression tests on
 * PowerPC; J. Alglave, D. Kroening, M. Tautschnig, CAV 2013, section 6): workers in a ring. Who finds its latch
 * set resets it, looks for its flag, does the work that the flag stands for and hands on: first the flag of
 * the next worker, then its latch. A worker that is woken must find its flag.
 *
 * Safe under SC, TSO; broken under PSO and Power, which can show the latch before the flag, or (Power) read the
 * flag before the latch. -DFENCES adds the two fences that repair it, one on each side. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCES
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define WORKERS 2

static volatile int latch[WORKERS] = {1, 0}, flag[WORKERS] = {1, 0};

static void *worker(void *argument) {
    int me = (int)(long)argument, next = (me + 1) % WORKERS;
    for (int round = 0; round < ROUNDS; round++) {
        while (!latch[me])
            ;
        FENCE();
        assert(flag[me]);
        latch[me] = 0;
        if (flag[me]) {
            flag[me] = 0;
            flag[next] = 1;
            FENCE();
            latch[next] = 1;
        }
    }
    return 0;
}

int main(void) {
    pthread_t threads[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
