// A grace period waits for readers: who sees the new value in a critical section also sees what was written before
// the grace period. Without synchronize_rcu (HASTY), or without the critical section (BARE), not so.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

int old_data, new_data, first_read, second_read;

void *reader(void *unused) {
#ifndef BARE
    rcu_read_lock();
#endif
    first_read = READ_ONCE(new_data);
    second_read = READ_ONCE(old_data);
#ifndef BARE
    rcu_read_unlock();
#endif
    return 0;
}

void *updater(void *unused) {
    WRITE_ONCE(old_data, 1);
#ifndef HASTY
    synchronize_rcu();
#endif
    WRITE_ONCE(new_data, 1);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, updater, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!(first_read && !second_read));
    return 0;
}
