/* D. Dice, A. Kogan, Compact NUMA-aware locks, EuroSys 2019: threads of another socket are set aside. */
#include "client.h"

struct node {
    void *_Atomic spin; /* NULL: waits; 1: holds the lock, nobody set aside; else the first one set aside */
    int socket;
    struct node *_Atomic last_aside;
    struct node *_Atomic next;
};

#define HOLDS ((void *)1)

static struct node nodes[THREADS];
static struct node *_Atomic tail;

static void enter(int self)
{
    struct node *mine = &nodes[self];
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->spin, NULL, memory_order_relaxed);
    mine->socket = self % 2;
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    if (before == NULL) {
        atomic_store_explicit(&mine->spin, HOLDS, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&before->next, mine, memory_order_release);
    while (atomic_load_explicit(&mine->spin, memory_order_acquire) == NULL)
        ;
}

/* The next thread of our socket; those before it are set aside. */
static struct node *successor(struct node *mine, struct node *next)
{
    struct node *at = next, *before = NULL;
    while (at != NULL && at->socket != mine->socket) {
        before = at;
        at = atomic_load_explicit(&at->next, memory_order_acquire);
    }
    if (at == NULL || before == NULL)
        return at;
    void *aside = atomic_load_explicit(&mine->spin, memory_order_relaxed);
    if (aside != HOLDS) {
        struct node *first = aside;
        struct node *last = atomic_load_explicit(&first->last_aside, memory_order_relaxed);
        atomic_store_explicit(&last->next, next, memory_order_relaxed);
        atomic_store_explicit(&first->last_aside, before, memory_order_relaxed);
    } else {
        atomic_store_explicit(&mine->spin, next, memory_order_relaxed);
        atomic_store_explicit(&next->last_aside, before, memory_order_relaxed);
    }
    atomic_store_explicit(&before->next, NULL, memory_order_relaxed);
    return at;
}

static void leave(int self)
{
    struct node *mine = &nodes[self];
    struct node *next = atomic_load_explicit(&mine->next, memory_order_acquire);
    void *aside = atomic_load_explicit(&mine->spin, memory_order_relaxed);
    if (next == NULL) {
        struct node *expected = mine;
        if (aside == HOLDS) {
            if (atomic_compare_exchange_strong_explicit(
                    &tail, &expected, NULL, memory_order_acq_rel, memory_order_relaxed))
                return;
        } else {
            struct node *first = aside;
            struct node *last = atomic_load_explicit(&first->last_aside, memory_order_relaxed);
            if (atomic_compare_exchange_strong_explicit(
                    &tail, &expected, last, memory_order_acq_rel, memory_order_relaxed)) {
                atomic_store_explicit(&first->spin, HOLDS, memory_order_release);
                return;
            }
        }
        while ((next = atomic_load_explicit(&mine->next, memory_order_acquire)) == NULL)
            ;
    }
    struct node *heir = successor(mine, next);
    aside = atomic_load_explicit(&mine->spin, memory_order_relaxed);
    if (heir != NULL) {
        atomic_store_explicit(&heir->spin, aside, memory_order_release);
    } else if (aside != HOLDS) {
        struct node *first = aside;
        struct node *last = atomic_load_explicit(&first->last_aside, memory_order_relaxed);
        atomic_store_explicit(&last->next, next, memory_order_release);
        atomic_store_explicit(&first->spin, HOLDS, memory_order_release);
    } else {
        atomic_store_explicit(&next->spin, HOLDS, memory_order_release);
    }
}
