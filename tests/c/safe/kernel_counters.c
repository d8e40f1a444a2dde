// Spinlocks, atomic counters of both widths, exchanges: nothing gets lost. TORN: the counter is a
// variable outside the lock.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

atomic_t hits = ATOMIC_INIT(0);
atomic64_t bytes = ATOMIC64_INIT(1L << 40);
DEFINE_SPINLOCK(lock);
int guarded, torn, owner;

void *worker(void *unused) {
    atomic_inc(&hits);
    atomic64_fetch_add_relaxed(7, &bytes);
    spin_lock(&lock);
    guarded++;
    spin_unlock(&lock);
#ifdef TORN
    WRITE_ONCE(torn, READ_ONCE(torn) + 1);
#else
    WRITE_ONCE(torn, 2);
#endif
    int before = cmpxchg(&owner, 0, 1);
    assert(before == 0 || before == 1);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(atomic_read(&hits) == 2);
    assert(atomic64_read(&bytes) == (1L << 40) + 14);
    assert(guarded == 2 && READ_ONCE(owner) == 1);
    assert(READ_ONCE(torn) == 2);
    return 0;
}
