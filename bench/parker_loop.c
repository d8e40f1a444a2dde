/* Parker without its mutex, the shape that the literature measures: the waiter looks at the condition, at the
 * permit, and takes the permit, again and again; the waker sets the condition and gives a permit, once. A waiter
 * that took the last permit and then saw no condition would sleep for ever. Wrong without a fence between the
 * two. -DROUNDS=K: the waiter looks at most K times; -DF=2: a fence after every store. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef F
#define F 0
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#if F == 2
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif
#define STORE(variable, value) do { (variable) = (value); FENCE(); } while (0)

static volatile int permit = 1, condition, awake;

static void *waiter(void *unused) {
    int seen = 0;
    for (int round = 0; round < ROUNDS && !seen; round++) {
        if (permit)
            STORE(permit, 0);
        seen = condition;
    }
    awake = seen;
    return 0;
}

static void *waker(void *unused) {
    STORE(condition, 1);
    STORE(permit, 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, waker, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(awake || permit);
    return 0;
}
