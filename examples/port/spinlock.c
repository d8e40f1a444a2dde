/* A test-and-set lock as one may write it on x86, where exchanges are locked instructions and stores stay in
 * order, so that relaxed atomics are enough. -DFENCED has the fences that other machines need, -DFIXED asks
 * for what the lock really needs. */
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define TAKE memory_order_acquire
#define GIVE memory_order_release
#else
#define TAKE memory_order_relaxed
#define GIVE memory_order_relaxed
#endif

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

static atomic_int locked;
int counter;

static void lock(void) {
    while (atomic_exchange_explicit(&locked, 1, TAKE))
        ;
    FENCE();
}

static void unlock(void) {
    FENCE();
    atomic_store_explicit(&locked, 0, GIVE);
}

static void *increment(void *unused) {
    lock();
    int seen = counter;
    counter = seen + 1;
    unlock();
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, increment, 0);
    pthread_create(&second, 0, increment, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
