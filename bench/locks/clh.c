/* T. Craig, Building FIFO and priority-queueing spin locks from atomic swap, 1993; P. Magnusson, A. Landin,
   E. Hagersten, Queue locks on cache coherent multiprocessors, IPPS 1994. */
#include "client.h"

struct node {
    atomic_int locked;
};

static struct node nodes[THREADS + 1];
static struct node *_Atomic tail = &nodes[THREADS];
static struct node *mine[THREADS], *before[THREADS];

static void enter(int self)
{
    struct node *own = mine[self] ? mine[self] : &nodes[self];
    atomic_store_explicit(&own->locked, 1, memory_order_relaxed);
    struct node *ahead = atomic_exchange_explicit(&tail, own, memory_order_acq_rel);
    while (atomic_load_explicit(&ahead->locked, memory_order_acquire))
        ;
    mine[self] = own;
    before[self] = ahead;
}

static void leave(int self)
{
    struct node *own = mine[self];
    mine[self] = before[self];
    atomic_store_explicit(&own->locked, 0, memory_order_release);
}
