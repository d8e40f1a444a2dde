/* A lock made of an atomic function that waits by assuming, as SV-COMP's programs do. -DWRONG: testing and
 * setting are two blocks, so that both threads get the lock. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int condition);

static int taken, owner;

#ifdef WRONG
static void __VERIFIER_atomic_test(void) { __VERIFIER_assume(taken == 0); }
static void __VERIFIER_atomic_set(void) { taken = 1; }
static void acquire(void) {
    __VERIFIER_atomic_test();
    __VERIFIER_atomic_set();
}
#else
static void __VERIFIER_atomic_acquire(void) {
    __VERIFIER_assume(taken == 0);
    taken = 1;
}
static void acquire(void) { __VERIFIER_atomic_acquire(); }
#endif

static void __VERIFIER_atomic_release(void) { taken = 0; }

static void *thread(void *argument) {
    int me = (int)(long)argument;
    acquire();
    owner = me;
    assert(owner == me);
    __VERIFIER_atomic_release();
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread, (void *)1);
    pthread_create(&threads[1], 0, thread, (void *)2);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
