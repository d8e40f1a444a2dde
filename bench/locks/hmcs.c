/* M. Chabbi, M. Fagan, J. Mellor-Crummey, High performance locks for multi-level NUMA systems, PPoPP 2015: a
   queue for each socket, and one for the sockets. */
#include "client.h"

#define SOCKETS 2
#define WAIT 0
#define FIRST 1     /* the local lock, without the global one */
#define INHERITED 2 /* both */

struct node {
    struct node *_Atomic next;
    atomic_int status;
};

struct queue {
    struct node *_Atomic tail;
    struct node up;
};

static struct node nodes[THREADS];
static struct queue sockets[SOCKETS];
static struct node *_Atomic top;

static struct node *join(struct node *_Atomic *tail, struct node *mine)
{
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->status, WAIT, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(tail, mine, memory_order_acq_rel);
    if (before != NULL)
        atomic_store_explicit(&before->next, mine, memory_order_release);
    return before;
}

static int wait_for(struct node *mine)
{
    int status;
    while ((status = atomic_load_explicit(&mine->status, memory_order_acquire)) == WAIT)
        ;
    return status;
}

static void pass(struct node *_Atomic *tail, struct node *mine, int status)
{
    struct node *next = atomic_load_explicit(&mine->next, memory_order_acquire);
    if (next == NULL) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong_explicit(
                tail, &expected, NULL, memory_order_release, memory_order_relaxed))
            return;
        while ((next = atomic_load_explicit(&mine->next, memory_order_acquire)) == NULL)
            ;
    }
    atomic_store_explicit(&next->status, status, memory_order_release);
}

static void enter(int self)
{
    struct queue *own = &sockets[self % SOCKETS];
    if (join(&own->tail, &nodes[self]) != NULL && wait_for(&nodes[self]) == INHERITED)
        return;
    if (join(&top, &own->up) != NULL)
        wait_for(&own->up);
}

static void leave(int self)
{
    struct queue *own = &sockets[self % SOCKETS];
    struct node *next = atomic_load_explicit(&nodes[self].next, memory_order_acquire);
    if (next != NULL) {
        atomic_store_explicit(&next->status, INHERITED, memory_order_release);
        return;
    }
    pass(&top, &own->up, FIRST);
    pass(&own->tail, &nodes[self], FIRST);
}
