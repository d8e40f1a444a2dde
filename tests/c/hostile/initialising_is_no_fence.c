// EXPECT sc:PASS tso:FAIL rc11:FAIL -D SEMAPHORE tso:FAIL aarch64:FAIL -D BARRIER tso:FAIL -D READERS tso:FAIL -D SPIN tso:FAIL -D LOCKED tso:PASS rc11:PASS aarch64:PASS
// POSIX lists the functions that synchronise memory; those that initialise something are not among them.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

atomic_int x, y;
int first, second;

static void nothing_of_others(void) {
#if defined SEMAPHORE
    sem_t own;
    sem_init(&own, 0, 1);
#elif defined BARRIER
    pthread_barrier_t own;
    pthread_barrier_init(&own, 0, 1);
#elif defined READERS
    pthread_rwlock_t own;
    pthread_rwlock_init(&own, 0);
#elif defined SPIN
    pthread_spinlock_t own;
    pthread_spin_init(&own, 0);
#else
    pthread_mutex_t own;
    pthread_mutex_init(&own, 0);
#ifdef LOCKED
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
#endif
#endif
}

static void *one(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    nothing_of_others();
    first = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    nothing_of_others();
    second = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(first || second);
    return 0;
}
