/* A queue whose links are numbers: a node's place in an array below, a count of changes above, in one word, as
 * M. Michael and M. Scott have them (PODC 1996). The array lies behind a pointer, and variables of the loops get
 * their first value inside. What is taken was put, completely. -DRELAXED drops the orders: on Power, ARM and in
 * C the payload may then be missed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#endif

typedef unsigned long long link;

static link linked(unsigned place, unsigned count) {
    return (link)count << 32 | place;
}

static unsigned place(link of) {
    return of & 0xffffffff;
}

static unsigned count(link of) {
    return of >> 32;
}

static struct queue {
    atomic_ullong head, tail;
    struct {
        atomic_uint payload;
        atomic_ullong next;
    } nodes[16];
} memory, *queue;

static void put(unsigned node, unsigned payload) {
    link tail, next;
    int done = 0;
    atomic_store_explicit(&queue->nodes[node].payload, payload, memory_order_relaxed);
    atomic_store_explicit(&queue->nodes[node].next, 0, memory_order_relaxed);
    while (!done) {
        tail = atomic_load_explicit(&queue->tail, ACQUIRE);
        next = atomic_load_explicit(&queue->nodes[place(tail)].next, ACQUIRE);
        if (place(next) == 0)
            done = atomic_compare_exchange_strong_explicit(&queue->nodes[place(tail)].next, &next,
                                                           linked(node, count(next) + 1), RELEASE, RELEASE);
        else
            atomic_compare_exchange_strong_explicit(&queue->tail, &tail, linked(place(next), count(tail) + 1),
                                                    RELEASE, RELEASE);
    }
    atomic_compare_exchange_strong_explicit(&queue->tail, &tail, linked(node, count(tail) + 1), RELEASE, RELEASE);
}

static void *first(void *unused) {
    put(2, 20);
    return 0;
}

static void *second(void *unused) {
    put(3, 30);
    return 0;
}

int main(void) {
    pthread_t one, two;
    queue = &memory;
    atomic_init(&queue->head, linked(1, 0));
    atomic_init(&queue->tail, linked(1, 0));
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    link next = atomic_load_explicit(&queue->nodes[1].next, ACQUIRE);
    if (place(next))
        assert(atomic_load_explicit(&queue->nodes[place(next)].payload, memory_order_relaxed) == 10 * place(next));
    return 0;
}
