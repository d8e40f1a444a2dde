// EXPECT sc:FAIL tso:FAIL pso:FAIL rc11:FAIL power:FAIL -D WRITES sc:FAIL tso:FAIL rc11:FAIL -D FENCES sc:FAIL tso:FAIL rc11:FAIL -D OWN sc:FAIL rc11:FAIL -D RIGHT sc:PASS rc11:PASS
// A thread that goes round for ever does not keep others from what they do.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Bool __VERIFIER_nondet_bool(void);
atomic_int x, y;

static void *again(void *unused) {
    int *own = malloc(sizeof *own);
    while (1) {
#if defined WRITES
        atomic_store_explicit(&y, 1, memory_order_relaxed);
#elif defined FENCES
        atomic_thread_fence(memory_order_seq_cst);
#elif defined OWN
        *own = 1;
#else
        if (__VERIFIER_nondet_bool())
            __VERIFIER_nondet_bool();
#endif
    }
    return unused;
}

static void *counts(void *unused) {
    atomic_store(&x, 1);
    atomic_store(&x, 2);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, again, 0);
    pthread_create(&two, 0, counts, 0);
    int first = atomic_load(&x), second = atomic_load(&x);
#ifdef RIGHT
    assert(first <= second);
#else
    assert(!(first == 1 && second == 2));
#endif
    return 0;
}
