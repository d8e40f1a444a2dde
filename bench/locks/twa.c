/* D. Dice, A. Kogan, TWA - ticket locks augmented with a waiting array, Euro-Par 2019. */
#include "client.h"

#define SLOTS 4
#define LONG_TERM 1

static atomic_int next_ticket, now_serving, waiting[SLOTS];

static void enter(int self)
{
    (void)self;
    int ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    int distance = ticket - atomic_load_explicit(&now_serving, memory_order_acquire);
    if (distance == 0)
        return;
    if (distance > LONG_TERM) {
        atomic_int *slot = &waiting[ticket % SLOTS];
        int seen = atomic_load_explicit(slot, memory_order_acquire);
        if (ticket - atomic_load_explicit(&now_serving, memory_order_acquire) > LONG_TERM)
            while (atomic_load_explicit(slot, memory_order_acquire) == seen)
                ;
    }
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket)
        ;
}

static void leave(int self)
{
    (void)self;
    int next = atomic_load_explicit(&now_serving, memory_order_relaxed) + 1;
    atomic_store_explicit(&now_serving, next, memory_order_release);
    atomic_fetch_add_explicit(&waiting[(next + LONG_TERM) % SLOTS], 1, memory_order_release);
}
