/* The Java virtual machine's Parker and its bug (D. Dice, "A race in LockSupport park() arising from weak
 * memory models", 2009): park() consumes a permit by `counter = 0` and returns; without a fence the caller's
 * next read, of the condition that it waits for, can be done before that store is visible. Then unpark() still
 * sees the old permit, does not signal, and the delayed store erases the permit that it gives. The waiter
 * sleeps for ever although the condition holds.
 *
 * The waiter reads its own buffered `counter` in the second call of park(): a tool without store forwarding
 * does not find this.
 *
 * -DF=0, 1, 2 as in mutex.h; F=1 also suffices under PSO, because all other stores are followed by a lock.
 * -DROUNDS=K: the waiter looks at the condition at most K times. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef F
#define F 0
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifdef ATOMIC
typedef _Atomic int shared;
#else
typedef volatile int shared;
#endif

#define full_fence() atomic_thread_fence(memory_order_seq_cst)
#if F == 2
#define STORE(variable, value) do { (variable) = (value); full_fence(); } while (0)
#else
#define STORE(variable, value) do { (variable) = (value); } while (0)
#endif
#if F == 1
#define FENCE() full_fence()
#else
#define FENCE() ((void)0)
#endif

static shared counter = 1, condition, asleep; /* a permit is left over from an earlier unpark */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void park(void) {
    if (counter > 0) {
        STORE(counter, 0);
        FENCE();
        return;
    }
    if (pthread_mutex_trylock(&mutex) != 0)
        return;
    if (counter > 0)
        STORE(counter, 0);
    else
        STORE(asleep, 1); /* here it waits for a signal */
    pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
    pthread_mutex_lock(&mutex);
    int before = counter;
    STORE(counter, 1);
    if (before < 1)
        STORE(asleep, 0); /* the signal */
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        if (condition)
            break;
        park();
    }
    return 0;
}

static void *waker(void *unused) {
    STORE(condition, 1);
    unpark();
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, waker, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!asleep);
    return 0;
}
