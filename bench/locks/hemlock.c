/* D. Dice, A. Kogan, Hemlock: compact and scalable mutual exclusion, SPAA 2021. */
#include "client.h"

struct grant {
    void *_Atomic lock;
};

static struct grant grants[THREADS];
static struct grant *_Atomic tail;

static void enter(int self)
{
    struct grant *before = atomic_exchange_explicit(&tail, &grants[self], memory_order_acq_rel);
    if (before == NULL)
        return;
    while (atomic_load_explicit(&before->lock, memory_order_acquire) != &tail)
        ;
    atomic_store_explicit(&before->lock, NULL, memory_order_release);
}

static void leave(int self)
{
    struct grant *mine = &grants[self], *expected = mine;
    if (atomic_compare_exchange_strong_explicit(
            &tail, &expected, NULL, memory_order_release, memory_order_relaxed))
        return;
    atomic_store_explicit(&mine->lock, &tail, memory_order_release);
    while (atomic_load_explicit(&mine->lock, memory_order_acquire) != NULL)
        ;
}
