/* L. Lamport, A new solution of Dijkstra's concurrent programming problem, CACM 17(8), 1974. */
#include "mutex.h"

static shared choosing[THREADS], number[THREADS];

static void enter(int me) {
    int largest = 0;
    atomic_store_explicit(&choosing[me], 1, memory_order_relaxed);
    for (int j = 0; j < THREADS; j++) {
        int other = atomic_load_explicit(&number[j], memory_order_relaxed);
        if (other > largest)
            largest = other;
    }
    int mine = largest + 1;
    atomic_store_explicit(&number[me], mine, memory_order_relaxed);
    atomic_store_explicit(&choosing[me], 0, memory_order_relaxed);
    for (int j = 0; j < THREADS; j++) {
        if (j == me)
            continue;
        while (atomic_load_explicit(&choosing[j], memory_order_relaxed))
            ;
        for (;;) {
            int other = atomic_load_explicit(&number[j], memory_order_relaxed);
            if (other == 0 || other > mine || (other == mine && j > me))
                break;
        }
    }
}

static void leave(int me) { atomic_store_explicit(&number[me], 0, memory_order_relaxed); }
