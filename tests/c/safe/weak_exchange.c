/* A weak compare-and-exchange may fail although it finds what it expects. In a loop that tries again this makes no
   difference. ONCE: a thread that tries once takes a failure for a sign that somebody else was there.
   COUNTED: a thread that gives up after a number of failures. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;
atomic_int taken;

void increment(void) {
    int old = atomic_load_explicit(&counter, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&counter, &old, old + 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
        ;
}

int take(void) {
    int nobody = 0;
#ifdef ONCE
    return atomic_compare_exchange_weak(&taken, &nobody, 1);
#elif defined(COUNTED)
    for (int tries = 0; tries < 2; tries++) {
        nobody = 0;
        if (atomic_compare_exchange_weak(&taken, &nobody, 1))
            return 1;
    }
    return 0;
#else
    return atomic_compare_exchange_strong(&taken, &nobody, 1);
#endif
}

int first, second;

void *one(void *unused) {
    increment();
    first = take();
    return 0;
}

void *two(void *unused) {
    increment();
    second = take();
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    assert(first + second == 1);
    return 0;
}
