// A lock for a device's counter, as somebody wrote it for a driver: a flag that is taken by an exchange.
// RELEASE: unlocking waits for what was done under the lock.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

static int locked;
static int requests;

static void lock(void) {
    while (xchg_acquire(&locked, 1))
        ;
}

static void unlock(void) {
#ifdef RELEASE
    smp_store_release(&locked, 0);
#else
    WRITE_ONCE(locked, 0);
#endif
}

static void *handler(void *unused) {
    lock();
    int seen = READ_ONCE(requests);
    WRITE_ONCE(requests, seen + 1);
    unlock();
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, handler, 0);
    pthread_create(&two, 0, handler, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(READ_ONCE(requests) == 2);
    return 0;
}
