// EXPECT sc:safety:PASS rc11:safety:PASS -D LOCAL sc:safety:FAIL rc11:safety:FAIL -D CALLED sc:safety:FAIL -D HEAP sc:safety:FAIL -D BARRIER sc:safety:FAIL
/* Mutexes and barriers that are no globals are initialised once, until they are destroyed. */
#include <pthread.h>
#include <stdlib.h>

void set_up(pthread_mutex_t *mutex)
{
    pthread_mutex_init(mutex, 0);
}

void set_up_once(pthread_mutex_t *mutex)
{
    pthread_mutex_init(mutex, 0);
}

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
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t one_of_two;
        if (i)
            set_up(&one_of_two);
        else
            pthread_mutex_init(&one_of_two, 0);
    }
#ifdef LOCAL
    pthread_mutex_init(&local, 0);
#endif
#ifdef CALLED
    set_up_once(&local);
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
