/* D. Vyukov's safestack, a lock-free stack of array indices that holds for long and fails: three threads that
 * take and put back twice each can own the same element at the same time, already under sequential
 * consistency. All operations on shared variables are seq_cst. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef TRIES
#define TRIES 3
#endif

extern void __VERIFIER_assume(int condition);

static atomic_int head = 0, count = 3;
static atomic_int next[3] = {1, 2, -1};
static atomic_int value[3];

static int pop(void) {
    for (int tries = 0; tries < TRIES; tries++) {
        if (atomic_load(&count) <= 1)
            return -1;
        int first = atomic_load(&head);
        int second = atomic_exchange(&next[first], -1);
        if (second >= 0) {
            int expected = first;
            if (atomic_compare_exchange_strong(&head, &expected, second)) {
                atomic_fetch_sub(&count, 1);
                return first;
            }
            atomic_exchange(&next[first], second);
        }
    }
    __VERIFIER_assume(0);
    return -1;
}

static void push(int index) {
    int first = atomic_load(&head);
    for (int tries = 0; tries < TRIES; tries++) {
        atomic_store(&next[index], first);
        if (atomic_compare_exchange_strong(&head, &first, index)) {
            atomic_fetch_add(&count, 1);
            return;
        }
    }
    __VERIFIER_assume(0);
}

static void *thread(void *argument) {
    int me = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        int element = pop();
        if (element < 0)
            break;
        atomic_store(&value[element], me);
        assert(atomic_load(&value[element]) == me);
        push(element);
    }
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
