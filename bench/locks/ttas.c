/* L. Rudolph, Z. Segall, Dynamic decentralized cache schemes for MIMD parallel processors, ISCA 1984: look, then try. */
#include "client.h"

static atomic_int held;

static void enter(int self)
{
    (void)self;
    for (;;) {
        while (atomic_load_explicit(&held, memory_order_relaxed))
            ;
        if (!atomic_exchange_explicit(&held, 1, memory_order_acquire))
            return;
    }
}

static void leave(int self)
{
    (void)self;
    atomic_store_explicit(&held, 0, memory_order_release);
}
