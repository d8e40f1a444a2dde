/* D. Vyukov's safestack with its memory orders taken away: values and links are written by plain or relaxed
 * stores, loads are relaxed, and only updates are fences. Three threads that take an element and put it back
 * twice each can own one element at the same time: under sequential consistency they need four rounds of turns
 * for that (`--engine rounds --rounds 4`), with store buffers three. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#define TAKES 2
#define TRIES 3
#define RELAXED memory_order_relaxed

extern void __VERIFIER_assume(int condition);

static atomic_int head = 0, count = 3;
static atomic_int next[3] = {1, 2, -1};
static int value[3];

static int pop(void) {
    for (int tries = 0; tries < TRIES; tries++) {
        if (atomic_load_explicit(&count, RELAXED) <= 1)
            return -1;
        int first = atomic_load_explicit(&head, RELAXED);
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
    int first = atomic_load_explicit(&head, RELAXED);
    for (int tries = 0; tries < TRIES; tries++) {
        atomic_store_explicit(&next[index], first, RELAXED);
        if (atomic_compare_exchange_strong(&head, &first, index)) {
            atomic_fetch_add(&count, 1);
            return;
        }
    }
    __VERIFIER_assume(0);
}

static void *thread(void *argument) {
    int me = (int)(long)argument;
    for (int takes = 0; takes < TAKES; takes++) {
        int element = pop();
        if (element < 0)
            break;
        value[element] = me;
        assert(value[element] == me);
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
