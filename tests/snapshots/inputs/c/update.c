/* Two increments by an atomic instruction, or (LOOP) by compare and exchange; SPLIT reads and writes. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *increment(void *unused) {
#if defined(SPLIT)
    int seen = atomic_load_explicit(&count, memory_order_relaxed);
    atomic_store_explicit(&count, seen + 1, memory_order_relaxed);
#elif defined(LOOP)
    int seen = atomic_load_explicit(&count, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&count, &seen, seen + 1))
        ;
#else
    atomic_fetch_add(&count, 1);
#endif
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, increment, 0);
    pthread_create(&two, 0, increment, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(count == 2);
    return 0;
}
