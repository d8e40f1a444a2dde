/* A read-write lock: readers see both writes or none. -DWRONG: the writer only takes it for reading. */
#include <assert.h>
#include <pthread.h>

static int x, y;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *unused) {
#ifdef WRONG
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    x = 1;
    y = 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    assert(x == y);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
