// EXPECT sc:safety:PASS rc11:safety:PASS -D JOINED sc:safety:FAIL rc11:safety:FAIL -D DETACHED sc:safety:FAIL -D NO_CONDITION sc:safety:FAIL rc11:safety:FAIL -D NO_MORE sc:safety:FAIL -D EXITED sc:safety:FAIL aarch64:safety:FAIL
/* Threads that others joined or detached, condition variables that others destroyed or nobody initialised, and
   locals of main when it is gone. */
#include <pthread.h>

struct box {
    pthread_mutex_t mutex;
    pthread_cond_t full;
    int content;
};
pthread_t first;

void *fill(void *argument)
{
    struct box *box = argument;
    pthread_mutex_lock(&box->mutex);
    box->content = 1;
    pthread_mutex_unlock(&box->mutex);
    pthread_cond_signal(&box->full);
#if defined DETACHED
    pthread_detach(pthread_self());
#endif
    return 0;
}

void *join(void *argument)
{
    pthread_join(first, 0);
    return 0;
}

int main(void)
{
    struct box box;
    pthread_t second, third;
    box.content = 0;
    pthread_mutex_init(&box.mutex, 0);
#if !defined NO_CONDITION
    pthread_cond_init(&box.full, 0);
#endif
    pthread_create(&first, 0, fill, &box);
#if defined EXITED
    pthread_exit(0);
#endif
    pthread_create(&second, 0, join, 0);
#if defined JOINED
    pthread_create(&third, 0, join, 0);
#endif
    pthread_mutex_lock(&box.mutex);
    while (!box.content)
        pthread_cond_wait(&box.full, &box.mutex);
    pthread_mutex_unlock(&box.mutex);
#if defined NO_MORE
    pthread_cond_destroy(&box.full);
#endif
    pthread_join(second, 0);
#if !defined NO_MORE
    pthread_cond_destroy(&box.full);
#endif
    return 0;
}
