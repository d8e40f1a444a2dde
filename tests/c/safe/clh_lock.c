/* T. S. Craig; A. Landin, E. Hagersten: a queue lock whose waiters watch their predecessor's node. */
#include "lock.h"

static atomic_int busy[THREADS + 1]; /* the last one is the dummy that the first owner watches */
static atomic_int tail = THREADS;

static void prepare(void) {}

static void lock(int me) {
    atomic_store_explicit(&busy[me], 1, memory_order_relaxed);
    int before = atomic_exchange_explicit(&tail, me, ACQUIRE_RELEASE);
    while (atomic_load_explicit(&busy[before], ACQUIRE))
        ;
}

static void unlock(int me) { atomic_store_explicit(&busy[me], 0, RELEASE); }
