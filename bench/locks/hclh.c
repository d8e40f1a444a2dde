/* V. Luchangco, D. Nussbaum, N. Shavit, A hierarchical CLH queue lock, Euro-Par 2006: threads of a socket splice
   their local queue into the global one. */
#include "client.h"

#define SOCKETS 2
#define WAITS 1  /* the successor must wait */
#define MASTER 2 /* the last of its local queue: its successor there is the next master */
#define SOCKET(word) ((word) >> 2)

struct node {
    atomic_int word;
};

static struct node nodes[THREADS + 1];
static struct node *_Atomic locals[SOCKETS];
static struct node *_Atomic global = &nodes[THREADS];

static void enter(int self)
{
    int socket = self % SOCKETS;
    struct node *mine = &nodes[self];
    atomic_store_explicit(&mine->word, WAITS | (socket + 1) << 2, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&locals[socket], mine, memory_order_acq_rel);
    if (before != NULL) {
        int word;
        do
            word = atomic_load_explicit(&before->word, memory_order_acquire);
        while (SOCKET(word) == socket + 1 && !(word & MASTER) && (word & WAITS));
        if (SOCKET(word) == socket + 1 && !(word & MASTER))
            return;
    }
    struct node *last = atomic_load_explicit(&locals[socket], memory_order_acquire);
    struct node *ahead = atomic_exchange_explicit(&global, last, memory_order_acq_rel);
    atomic_fetch_or_explicit(&last->word, MASTER, memory_order_acq_rel);
    while (atomic_load_explicit(&ahead->word, memory_order_acquire) & WAITS)
        ;
}

static void leave(int self)
{
    atomic_fetch_and_explicit(&nodes[self].word, ~WAITS, memory_order_release);
}
