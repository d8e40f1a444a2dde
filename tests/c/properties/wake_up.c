/* Consumers wait until an item is there. The signal finds each of them waiting or about to look at the item.
 * -DUNLOCKED: the producer does not hold the mutex, so the signal may come between the look and the wait.
 * -DTWO: two consumers, and a signal wakes one of them. -DTWO -DALL: a broadcast wakes both.
 * -DIF: a consumer that was woken does not look again; nobody else takes the item, so it still ends. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int item;

static void *consumer(void *unused) {
    pthread_mutex_lock(&mutex);
#ifdef IF
    if (!item)
#else
    while (!item)
#endif
        pthread_cond_wait(&filled, &mutex);
    assert(item);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *producer(void *unused) {
#ifndef UNLOCKED
    pthread_mutex_lock(&mutex);
#endif
    item = 1;
#ifdef ALL
    pthread_cond_broadcast(&filled);
#else
    pthread_cond_signal(&filled);
#endif
#ifndef UNLOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
#ifdef TWO
    pthread_create(&threads[2], 0, consumer, 0);
    pthread_join(threads[2], 0);
#endif
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
