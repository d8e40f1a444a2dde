/* Store buffering with C11 atomics of the memory order ORDER. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static atomic_int x, y;
static int first, second;

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, ORDER);
    first = atomic_load_explicit(&y, ORDER);
    return 0;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, ORDER);
    second = atomic_load_explicit(&x, ORDER);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(first == 1 || second == 1);
    return 0;
}
