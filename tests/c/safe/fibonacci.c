/* The Fibonacci race (SV-COMP's fib_bench; paper "Partial orders for efficient BMC of concurrent software"):
 * i += j and j += i, N times each. The largest value is reached when the two alternate, it is the Fibonacci
 * number 2N + 2; neither exceeds it (default), and it is reached (-DUNSAFE asserts that it is not). Each
 * thread writes one variable alone and reads it back before writing again, so store buffers only show older
 * values of the other's variable: the largest value is the same under every model. -DMAX=M asserts i, j < M. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

int i = 1, j = 1;

static void *first(void *unused) {
    for (int k = 0; k < N; k++)
        i += j;
    return 0;
}

static void *second(void *unused) {
    for (int k = 0; k < N; k++)
        j += i;
    return 0;
}

static int largest(void) {
    int a = 1, b = 1;
    for (int k = 0; k < 2 * N; k++) {
        int next = a + b;
        a = b;
        b = next;
    }
    return b;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
#ifdef MAX
    int limit = MAX;
#else
    int limit = largest();
#endif
#if defined(UNSAFE) || defined(MAX)
    assert(i < limit && j < limit);
#else
    assert(i <= limit && j <= limit);
#endif
    return 0;
}
