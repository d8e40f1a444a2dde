/* M. M. Michael, M. L. Scott, Simple, fast, and practical non-blocking and blocking concurrent queue
 * algorithms, PODC 1996. Every thread enqueues an own value and dequeues one; nodes are not reused. What is
 * dequeued was enqueued, completely, and by no two threads. A thread always finds something: it has enqueued
 * before, and nobody dequeues more than he enqueued. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef TRIES
#define TRIES 3
#endif

extern void __VERIFIER_assume(int condition);

struct node {
    atomic_int value;
    struct node *_Atomic next;
};

static struct node dummy;
static struct node *_Atomic head = &dummy, *_Atomic tail = &dummy;
static atomic_int taken[THREADS + 1];

static void enqueue(int value) {
    struct node *fresh = calloc(1, sizeof *fresh);
    atomic_store_explicit(&fresh->value, value, memory_order_relaxed);
    for (int tries = 0; tries < TRIES; tries++) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_acq_rel,
                                                    memory_order_acquire);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, fresh, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, fresh, memory_order_acq_rel,
                                                    memory_order_acquire);
            return;
        }
    }
    __VERIFIER_assume(0);
}

static int dequeue(void) {
    for (int tries = 0; tries < TRIES; tries++) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (first != atomic_load_explicit(&head, memory_order_acquire))
            continue;
        if (first == last) {
            if (!next)
                return 0;
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_acq_rel,
                                                    memory_order_acquire);
            continue;
        }
        int value = atomic_load_explicit(&next->value, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel,
                                                    memory_order_acquire))
            return value;
    }
    __VERIFIER_assume(0);
    return 0;
}

static void *thread(void *argument) {
    int me = (int)(long)argument;
    enqueue(me);
    int value = dequeue();
    assert(value >= 1 && value <= THREADS);
    assert(atomic_fetch_add_explicit(&taken[value], 1, memory_order_relaxed) == 0);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, thread, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
