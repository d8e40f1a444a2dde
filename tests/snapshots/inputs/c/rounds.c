/* A loop without end that counts: no bound is enough. */
#include <assert.h>
#include <pthread.h>

static volatile int turns, stop;

static void *worker(void *unused) {
    while (!stop)
        turns = turns + 1;
    return 0;
}

int main(void) {
    pthread_t one;
    pthread_create(&one, 0, worker, 0);
    stop = 1;
    pthread_join(one, 0);
    assert(turns >= 0);
    return 0;
}
