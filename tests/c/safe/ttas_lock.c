/* A test-and-test-and-set lock. Going round again is bounded by assuming that the exchange succeeds. */
#include "lock.h"

extern void __VERIFIER_assume(int condition);
static atomic_int taken;

static void prepare(void) {}

static void lock(int me) {
    while (atomic_load_explicit(&taken, memory_order_relaxed))
        ;
    __VERIFIER_assume(!atomic_exchange_explicit(&taken, 1, ACQUIRE));
}

static void unlock(int me) { atomic_store_explicit(&taken, 0, RELEASE); }
