/* Two readers of a read-write lock want to become writers without letting go. -DRELEASE: they let go first. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int seen = shared;
#ifdef RELEASE
    pthread_rwlock_unlock(&lock);
#endif
    pthread_rwlock_wrlock(&lock);
    shared = seen + 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&other, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
