/* A ticket lock: take a number, wait until it is called. */
#include "lock.h"

static atomic_int taken, called;

static void prepare(void) {}

static void lock(int me) {
    int mine = atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
    while (atomic_load_explicit(&called, ACQUIRE) != mine)
        ;
}

static void unlock(int me) {
    int now = atomic_load_explicit(&called, memory_order_relaxed);
    atomic_store_explicit(&called, now + 1, RELEASE);
}
