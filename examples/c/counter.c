/* Two threads increment a counter; one increment can get lost. -DLOCKED takes a mutex. */
#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *unused) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    counter++;
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, increment, 0);
    pthread_create(&threads[1], 0, increment, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(counter == 2);
    return 0;
}
