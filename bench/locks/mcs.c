/* J. Mellor-Crummey, M. Scott, Algorithms for scalable synchronization on shared-memory multiprocessors, 1991. */
#include "client.h"

struct node {
    struct node *_Atomic next;
    atomic_int locked;
};

static struct node *_Atomic tail;
static struct node nodes[THREADS];

static void enter(int self)
{
    struct node *mine = &nodes[self];
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, mine, memory_order_release);
    while (atomic_load_explicit(&mine->locked, memory_order_acquire))
        ;
}

static void leave(int self)
{
    struct node *mine = &nodes[self];
    struct node *next = atomic_load_explicit(&mine->next, memory_order_acquire);
    if (next == NULL) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong_explicit(
                &tail, &expected, NULL, memory_order_release, memory_order_relaxed))
            return;
        while ((next = atomic_load_explicit(&mine->next, memory_order_acquire)) == NULL)
            ;
    }
    atomic_store_explicit(&next->locked, 0, memory_order_release);
}
