/* J. E. Burns, N. A. Lynch, Bounds on shared memory for mutual exclusion, Inf. Comput. 107(2), 1993: one bit */
#include "mutex.h"

static shared flag[THREADS];

static void enter(int me) {
    int tries = 0;
again:
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
    for (int j = 0; j < me; j++)
        while (atomic_load_explicit(&flag[j], memory_order_relaxed))
            ;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    for (int j = 0; j < me; j++)
        if (atomic_load_explicit(&flag[j], memory_order_relaxed)) {
            RETRY(tries);
            goto again;
        }
    for (int j = me + 1; j < THREADS; j++)
        while (atomic_load_explicit(&flag[j], memory_order_relaxed))
            ;
}

static void leave(int me) { atomic_store_explicit(&flag[me], 0, memory_order_relaxed); }
