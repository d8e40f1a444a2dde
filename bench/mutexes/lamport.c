/* L. Lamport, A fast mutual exclusion algorithm, ACM TOCS 5(1), 1987, algorithm 2. Threads are 1 and up. */
#include "mutex.h"

static shared busy[THREADS + 1], x, y;

static void enter(int me) {
    int i = me + 1, tries = 0;
    for (;;) {
        atomic_store_explicit(&busy[i], 1, memory_order_relaxed);
        atomic_store_explicit(&x, i, memory_order_relaxed);
        if (atomic_load_explicit(&y, memory_order_relaxed) != 0) {
            atomic_store_explicit(&busy[i], 0, memory_order_relaxed);
            while (atomic_load_explicit(&y, memory_order_relaxed) != 0)
                ;
            RETRY(tries);
            continue;
        }
        atomic_store_explicit(&y, i, memory_order_relaxed);
        if (atomic_load_explicit(&x, memory_order_relaxed) == i)
            return;
        atomic_store_explicit(&busy[i], 0, memory_order_relaxed);
        for (int j = 1; j <= THREADS; j++)
            while (atomic_load_explicit(&busy[j], memory_order_relaxed))
                ;
        if (atomic_load_explicit(&y, memory_order_relaxed) == i)
            return;
        while (atomic_load_explicit(&y, memory_order_relaxed) != 0)
            ;
        RETRY(tries);
    }
}

static void leave(int me) {
    atomic_store_explicit(&y, 0, memory_order_relaxed);
    atomic_store_explicit(&busy[me + 1], 0, memory_order_relaxed);
}
