/* A condition variable: the consumer finds the item when it is told to go on. -DWRONG: it waits without looking
 * at the condition again; POSIX allows to wake up without a signal. */
#include <assert.h>
#include <pthread.h>

static int item;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void *producer(void *unused) {
    pthread_mutex_lock(&mutex);
    item = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *consumer(void *unused) {
    pthread_mutex_lock(&mutex);
#ifdef WRONG
    if (!item)
        pthread_cond_wait(&filled, &mutex);
#else
    while (!item)
        pthread_cond_wait(&filled, &mutex);
#endif
    assert(item == 1);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
