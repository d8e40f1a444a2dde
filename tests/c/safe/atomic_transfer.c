/* Large atomic blocks: transfers between accounts keep the sum, and whoever looks in a block sees the sum.
 * -DWRONG looks without a block, and can see money on its way. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#define ACCOUNTS 4
static int account[ACCOUNTS] = {10, 10, 10, 10};

static void __VERIFIER_atomic_transfer(int from, int to, int amount) {
    account[from] -= amount;
    account[to] += amount;
}

static void *transfers(void *unused) {
    __VERIFIER_atomic_transfer(0, 1, 3);
    __VERIFIER_atomic_transfer(1, 3, 5);
    return 0;
}

static void *auditor(void *unused) {
    int sum = 0;
#ifndef WRONG
    __VERIFIER_atomic_begin();
#endif
    for (int i = 0; i < ACCOUNTS; i++)
        sum += account[i];
#ifndef WRONG
    __VERIFIER_atomic_end();
#endif
    assert(sum == 40);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, transfers, 0);
    pthread_create(&threads[1], 0, auditor, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
