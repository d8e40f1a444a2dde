// EXPECT sc:safety:PASS rc11:safety:PASS -D TWICE sc:safety:FAIL rc11:safety:FAIL power:safety:FAIL sc:assertion:PASS -D DETACHED sc:safety:FAIL -D DETACHED_TWICE sc:safety:FAIL -D NONE sc:safety:FAIL rc11:safety:FAIL -D SOME sc:safety:PASS
/* A thread is joined or detached once, and is one that was started. */
#include <pthread.h>

pthread_t threads[2];

void *work(void *unused) { return 0; }

int main(void)
{
    pthread_t other = 4711;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    pthread_join(threads[0], 0);
#ifdef TWICE
    pthread_join(threads[0], 0);
#endif
#if defined(DETACHED) || defined(DETACHED_TWICE) || defined(SOME)
    pthread_detach(threads[1]);
#endif
#ifdef DETACHED
    pthread_join(threads[1], 0);
#endif
#ifdef DETACHED_TWICE
    pthread_detach(threads[1]);
#endif
#ifdef NONE
    pthread_join(other, 0);
#endif
    return 0;
}
