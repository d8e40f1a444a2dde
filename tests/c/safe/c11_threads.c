/* Threads, mutexes and fences of C11's own library. -DWRONG: without the mutex. */
#include <assert.h>
#include <threads.h>

static int counter;
static mtx_t mutex;

static int thread(void *unused) {
#ifndef WRONG
    mtx_lock(&mutex);
#endif
    counter++;
#ifndef WRONG
    mtx_unlock(&mutex);
#endif
    return 0;
}

int main(void) {
    thrd_t threads[2];
    mtx_init(&mutex, mtx_plain);
    thrd_create(&threads[0], thread, 0);
    thrd_create(&threads[1], thread, 0);
    thrd_join(threads[0], 0);
    thrd_join(threads[1], 0);
    assert(counter == 2);
    return 0;
}
