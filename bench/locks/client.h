/* Three threads take a lock once each and count in the critical section. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 3
#endif

static int shared_count;

static void enter(int self);
static void leave(int self);

static void *client(void *argument)
{
    int self = (int)(long)argument;
    enter(self);
    shared_count++;
    leave(self);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, client, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(shared_count == THREADS);
    return 0;
}
