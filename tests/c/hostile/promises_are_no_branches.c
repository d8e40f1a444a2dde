// EXPECT sc:PASS aarch64:FAIL power:FAIL imm:FAIL -D OTHERWISE aarch64:FAIL riscv:FAIL -D ASSUMED aarch64:FAIL -D BRANCH aarch64:PASS power:PASS imm:PASS
// What a program promises is no code: no later write waits for what the promise is about.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
int seen, other;

static void *promises(void *unused) {
    seen = atomic_load_explicit(&x, memory_order_relaxed);
#if defined OTHERWISE
    if (seen < 5)
        seen += 0;
    else
        __builtin_unreachable();
#elif defined ASSUMED
    __builtin_assume(seen < 5);
#elif defined BRANCH
    if (seen == 5)
        exit(1);
#else
    if (seen == 5)
        __builtin_unreachable();
#endif
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return unused;
}

static void *copies(void *unused) {
    other = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, other, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, promises, 0);
    pthread_create(&second, 0, copies, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(!(seen == 1 && other == 1));
    return 0;
}
