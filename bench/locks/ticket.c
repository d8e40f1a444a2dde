/* D. Reed, R. Kanodia, Synchronization with eventcounts and sequencers, CACM 1979. */
#include "client.h"

static atomic_int next_ticket, now_serving;

static void enter(int self)
{
    (void)self;
    int ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket)
        ;
}

static void leave(int self)
{
    (void)self;
    int served = atomic_load_explicit(&now_serving, memory_order_relaxed);
    atomic_store_explicit(&now_serving, served + 1, memory_order_release);
}
