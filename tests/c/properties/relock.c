/* A function that takes the mutex is called with the mutex held. -DHELD: its caller passes that on. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void add(int held) {
    if (!held)
        pthread_mutex_lock(&mutex);
    entries++;
    if (!held)
        pthread_mutex_unlock(&mutex);
}

int main(void) {
    pthread_mutex_lock(&mutex);
#ifdef HELD
    add(1);
#else
    add(0);
#endif
    pthread_mutex_unlock(&mutex);
    return 0;
}
