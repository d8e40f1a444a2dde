/* The Java virtual machine's Parker and its bug (D. Dice, "A race in LockSupport park() arising from weak
 * memory models", 2009), without its fence: the waiter sleeps for ever although the condition holds. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS 2
typedef atomic_int shared;

static shared counter = 1, condition, asleep; /* a permit is left over from an earlier unpark */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void park(void) {
    if (atomic_load_explicit(&counter, memory_order_relaxed) > 0) {
        atomic_store_explicit(&counter, 0, memory_order_relaxed);
        return;
    }
    if (pthread_mutex_trylock(&mutex) != 0)
        return;
    if (atomic_load_explicit(&counter, memory_order_relaxed) > 0)
        atomic_store_explicit(&counter, 0, memory_order_relaxed);
    else
        atomic_store_explicit(&asleep, 1, memory_order_relaxed); /* here it waits for a signal */
    pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
    pthread_mutex_lock(&mutex);
    int before = atomic_load_explicit(&counter, memory_order_relaxed);
    atomic_store_explicit(&counter, 1, memory_order_relaxed);
    if (before < 1)
        atomic_store_explicit(&asleep, 0, memory_order_relaxed); /* the signal */
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        if (atomic_load_explicit(&condition, memory_order_relaxed))
            break;
        park();
    }
    return 0;
}

static void *waker(void *unused) {
    atomic_store_explicit(&condition, 1, memory_order_relaxed);
    unpark();
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, waker, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!atomic_load_explicit(&asleep, memory_order_relaxed));
    return 0;
}
