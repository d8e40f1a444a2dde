/* What the spin locks share: every thread adds 1 to a counter under the lock, and none of it may get lost.
 *
 * By default locks acquire and unlocks release: correct under every model. With -DRELAXED all orders are
 * relaxed: the store that unlocks can then overtake the counter's store (PSO, Power, ARM, RC11), so that the
 * next owner adds to an old value. TSO keeps stores in order and its atomic instructions are fences: still
 * correct. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 2
#endif

#ifdef RELAXED
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#define ACQUIRE_RELEASE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define ACQUIRE_RELEASE memory_order_acq_rel
#endif

static atomic_int counter;

static void lock(int me);
static void unlock(int me);

static void *thread(void *argument) {
    int me = (int)(long)argument;
    lock(me);
    int before = atomic_load_explicit(&counter, memory_order_relaxed);
    atomic_store_explicit(&counter, before + 1, memory_order_relaxed);
    unlock(me);
    return 0;
}

static void prepare(void);

int main(void) {
    pthread_t threads[THREADS];
    prepare();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(atomic_load_explicit(&counter, memory_order_relaxed) == THREADS);
    return 0;
}
