// EXPECT sc:safety:PASS -D ELEMENTS sc:safety:FAIL -D OTHER_THREAD rc11:safety:FAIL -D BOTH sc:safety:FAIL -D OUTER sc:safety:FAIL -D BARRIER sc:safety:FAIL -D MEMBER sc:safety:FAIL
/* Mutexes and barriers that are no globals are initialised once, until they are destroyed; those of a block in
   a loop are others each time. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct box { int value; pthread_mutex_t lock; };
static void begin(struct box *box) { pthread_mutex_init(&box->lock, 0); box->value = 0; }
static int own(int value) {
    pthread_mutex_t lock;
    pthread_mutex_init(&lock, 0);
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return value;
}
static void *work(void *argument) {
    struct box *box = argument;
#if defined(OTHER_THREAD) || defined(BOTH)
    pthread_mutex_init(&box->lock, 0);
#endif
    pthread_mutex_lock(&box->lock);
    box->value++;
    pthread_mutex_unlock(&box->lock);
    return 0;
}
int main(void) {
    pthread_mutex_t outer;
    struct box *boxes = malloc(2 * sizeof *boxes);
    pthread_barrier_t *barrier = malloc(sizeof *barrier);
    int value = 0;
#ifdef BOTH
    pthread_t first, second;
    pthread_create(&first, 0, work, &boxes[0]);
    pthread_create(&second, 0, work, &boxes[0]);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
#endif
    for (int i = 0; i < 2; i++)
        begin(&boxes[i]);
#ifdef ELEMENTS
    for (int i = 0; i < 2; i++)
        pthread_mutex_init(&boxes[1 - i].lock, 0);
#elif defined(MEMBER)
    begin(&boxes[1]);
#endif
    for (int i = 0; i < 2; i++) {
        struct box inner;
        if (i == 0)
            pthread_mutex_init(&inner.lock, 0);
        else
            pthread_mutex_init(&inner.lock, 0);
        pthread_mutex_lock(&inner.lock);
        pthread_mutex_unlock(&inner.lock);
        value = own(value);
#ifdef OUTER
        pthread_mutex_init(&outer, 0);
#endif
    }
    pthread_t thread;
    pthread_create(&thread, 0, work, &boxes[1]);
    pthread_join(thread, 0);
    assert(value == 2);
    pthread_mutex_destroy(&boxes[0].lock);
    pthread_mutex_init(&boxes[0].lock, 0);
    for (int i = 0; i < 2; i++) {
        pthread_barrier_init(barrier, 0, 1);
#ifndef BARRIER
        pthread_barrier_destroy(barrier);
#endif
    }
    pthread_mutex_init(&outer, 0);
    free(boxes);
    free(barrier);
    return 0;
}
