// Threads without end that take a lock written as atomic functions. The lock holds, which no bound can prove; with
// BROKEN the test and the set are two blocks.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
int held, inside;

#ifdef BROKEN
int __VERIFIER_atomic_test(void) { return held; }
void __VERIFIER_atomic_set(void) { held = 1; }
void acquire(void) {
    __VERIFIER_assume(!__VERIFIER_atomic_test());
    __VERIFIER_atomic_set();
}
#else
void __VERIFIER_atomic_acquire(void) {
    __VERIFIER_assume(held == 0);
    held = 1;
}
#define acquire __VERIFIER_atomic_acquire
#endif
void __VERIFIER_atomic_release(void) { held = 0; }

void *thread(void *unused) {
    acquire();
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    __VERIFIER_atomic_release();
    return 0;
}

int main(void) {
    pthread_t id;
    while (1)
        pthread_create(&id, 0, thread, 0);
}
