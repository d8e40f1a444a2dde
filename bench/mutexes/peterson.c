/* G. L. Peterson, Myths about the mutual exclusion problem, IPL 12(3), 1981. */
#include "mutex.h"

static shared flag[2], turn;

static void enter(int me) {
    int other = 1 - me;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, other, memory_order_relaxed);
    while (atomic_load_explicit(&flag[other], memory_order_relaxed) && atomic_load_explicit(&turn, memory_order_relaxed) == other)
        ;
}

static void leave(int me) { atomic_store_explicit(&flag[me], 0, memory_order_relaxed); }
