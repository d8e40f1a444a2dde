/* What was written before a barrier is seen behind it. -DWRONG: one of the threads does not wait. */
#include <assert.h>
#include <pthread.h>

static int x, y;
static pthread_barrier_t barrier;

static void *first(void *unused) {
    x = 1;
    pthread_barrier_wait(&barrier);
    assert(y == 1);
    return 0;
}

static void *second(void *unused) {
    y = 1;
#ifndef WRONG
    pthread_barrier_wait(&barrier);
#endif
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
