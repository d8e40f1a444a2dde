/* Mutexes exclude each other and synchronise memory. -DWRONG: the second thread takes another mutex. */
#include <assert.h>
#include <pthread.h>

static int x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused) {
    pthread_mutex_lock(&mutex);
    x++;
    y++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *reader(void *unused) {
#ifdef WRONG
    pthread_mutex_lock(&other);
#else
    pthread_mutex_lock(&mutex);
#endif
    assert(x == y);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
