/* R. K. Treiber, Systems programming: coping with parallelism, 1986. Every thread pushes an own node and pops
 * one; nodes are not reused, so there is no ABA problem. What is popped was pushed, completely (its payload is
 * seen), and by no two threads. -DRELAXED drops the orders: the payload may then be missed on Power, ARM and
 * RC11; TSO's and PSO's atomic instructions are fences. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifdef RELAXED
#define PUSH memory_order_relaxed
#define POP memory_order_relaxed
#else
#define PUSH memory_order_release
#define POP memory_order_acquire
#endif
#ifndef TRIES
#define TRIES THREADS
#endif

extern void __VERIFIER_assume(int condition);

struct node {
    atomic_int value;
    struct node *_Atomic next;
};

static struct node *_Atomic top;
static atomic_int popped[THREADS + 1];

static void push(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    atomic_store_explicit(&fresh->value, value, memory_order_relaxed);
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    for (int tries = 0; tries < TRIES; tries++) {
        atomic_store_explicit(&fresh->next, old, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&top, &old, fresh, PUSH, memory_order_relaxed))
            return;
    }
    __VERIFIER_assume(0);
}

static int pop(void) {
    struct node *old = atomic_load_explicit(&top, POP);
    for (int tries = 0; tries < TRIES; tries++) {
        if (!old)
            return 0;
        struct node *next = atomic_load_explicit(&old->next, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&top, &old, next, POP, POP))
            return atomic_load_explicit(&old->value, memory_order_relaxed);
    }
    __VERIFIER_assume(0);
    return 0;
}

static void *thread(void *argument) {
    int me = (int)(long)argument;
    push(me);
    int value = pop();
    assert(value >= 1 && value <= THREADS);
    assert(atomic_fetch_add_explicit(&popped[value], 1, memory_order_relaxed) == 0);
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
