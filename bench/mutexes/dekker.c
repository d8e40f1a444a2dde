/* Dekker's algorithm (E. W. Dijkstra, EWD 123, 1965): flags say who wants to enter, turn who may insist. */
#include "mutex.h"

static shared flag[2], turn;

static void enter(int me) {
    int other = 1 - me, tries = 0;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    while (atomic_load_explicit(&flag[other], memory_order_relaxed)) {
        RETRY(tries);
        if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
            atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
            while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
                ;
            atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
        }
    }
}

static void leave(int me) {
    atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
}
