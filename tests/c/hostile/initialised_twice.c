// EXPECT sc:safety:PASS rc11:safety:PASS -D LOCAL sc:safety:FAIL rc11:safety:FAIL -D HEAP sc:safety:FAIL -D BARRIER sc:safety:FAIL
/* Mutexes and barriers that are no globals are initialised once, until they are destroyed. */
#include <pthread.h>
#include <stdlib.h>

void block(void)
{
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

int main(void)
{
    pthread_mutex_t local, *heap = malloc(sizeof *heap);
    pthread_barrier_t barrier;
    pthread_mutex_init(&local, 0);
    pthread_mutex_init(heap, 0);
    pthread_barrier_init(&barrier, 0, 1);
    block();
    block();
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t inner;
        pthread_mutex_init(&inner, 0);
        pthread_mutex_lock(&inner);
        pthread_mutex_unlock(&inner);
    }
#ifdef LOCAL
    pthread_mutex_init(&local, 0);
#endif
#ifndef HEAP
    pthread_mutex_destroy(heap);
#endif
    pthread_mutex_init(heap, 0);
#ifndef BARRIER
    pthread_barrier_destroy(&barrier);
#endif
    pthread_barrier_init(&barrier, 0, 1);
    pthread_mutex_destroy(heap);
    free(heap);
    return 0;
}
