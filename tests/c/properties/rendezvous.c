/* Two threads meet at a barrier that was made for THREADS of them. */
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

static pthread_barrier_t barrier;
static int before, after;

static void *guest(void *unused) {
    before = 1;
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, THREADS);
    pthread_create(&thread, 0, guest, 0);
    pthread_barrier_wait(&barrier);
    after = before;
    pthread_join(thread, 0);
    return 0;
}
