/* B. K. Szymanski, A simple solution to Lamport's concurrent programming problem, ICS 1988. */
#include "mutex.h"

static shared flag[2];

static void enter(int me) {
    int other = 1 - me;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    while (atomic_load_explicit(&flag[other], memory_order_relaxed) >= 3)
        ;
    atomic_store_explicit(&flag[me], 3, memory_order_relaxed);
    if (atomic_load_explicit(&flag[other], memory_order_relaxed) == 1) {
        atomic_store_explicit(&flag[me], 2, memory_order_relaxed);
        while (atomic_load_explicit(&flag[other], memory_order_relaxed) != 4)
            ;
    }
    atomic_store_explicit(&flag[me], 4, memory_order_relaxed);
    if (me == 1)
        while (atomic_load_explicit(&flag[0], memory_order_relaxed) >= 2)
            ;
}

static void leave(int me) {
    if (me == 0)
        while ((atomic_load_explicit(&flag[1], memory_order_relaxed) | 1) == 3)
            ; /* 2 or 3, by a single read */
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
}
