// Store buffering with the kernel's primitives: only a full barrier, or an atomic operation that implies one,
// keeps a write before a later read. BARRIER 1: smp_mb, 2: xchg, 3: an atomic operation without result between
// smp_mb__before_atomic and a read, 4: a relaxed xchg, which orders nothing.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

#ifndef BARRIER
#define BARRIER 0
#endif

int x, y, seen_by_first, seen_by_second;
atomic_t counter = ATOMIC_INIT(0);
int scratch[2];

#if BARRIER == 1
#define order(number) smp_mb()
#elif BARRIER == 2
#define order(number) xchg(&scratch[number], 1)
#elif BARRIER == 3
#define order(number) (smp_mb__before_atomic(), atomic_inc(&counter))
#elif BARRIER == 4
#define order(number) xchg_relaxed(&scratch[number], 1)
#else
#define order(number) barrier()
#endif

void *first(void *unused) {
    WRITE_ONCE(x, 1);
    order(0);
    seen_by_first = READ_ONCE(y);
    return 0;
}

void *second(void *unused) {
    WRITE_ONCE(y, 1);
    order(1);
    seen_by_second = READ_ONCE(x);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(seen_by_first || seen_by_second);
    return 0;
}
