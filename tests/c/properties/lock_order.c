/* Two mutexes that two threads take in opposite orders: each may hold one and wait for the other. -DSAME: both
 * take them in the same order. -DBACK_OFF: the second thread tries the other mutex and gives up if it is held. */
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *forwards(void *unused) {
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    shared++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return 0;
}

static void *backwards(void *unused) {
#ifdef SAME
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
#else
    pthread_mutex_lock(&right);
#ifdef BACK_OFF
    if (pthread_mutex_trylock(&left) != 0) {
        pthread_mutex_unlock(&right);
        return 0;
    }
#else
    pthread_mutex_lock(&left);
#endif
#endif
    shared++;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, forwards, 0);
    pthread_create(&other, 0, backwards, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
