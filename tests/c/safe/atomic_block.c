/* An atomic block of SV-COMP: two threads increase a counter in one step each. -DWRONG: without the block, an
 * increment gets lost under every model. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int counter;

static void *thread(void *unused) {
#ifndef WRONG
    __VERIFIER_atomic_begin();
#endif
    int before = counter;
    counter = before + 1;
#ifndef WRONG
    __VERIFIER_atomic_end();
#endif
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread, 0);
    pthread_create(&threads[1], 0, thread, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(counter == 2);
    return 0;
}
