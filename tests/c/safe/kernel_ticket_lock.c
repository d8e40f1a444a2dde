/* A ticket lock with the kernel's own ways of waiting: a ticket is drawn with a compare-and-exchange that tells
 * whether it worked, and its turn awaited with a condition on the value that is read. -DRELAXED waits without
 * acquiring: the critical section may then begin early in the kernel's model, on Power and ARM. */
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

#ifdef RELAXED
#define await_turn atomic_cond_read_relaxed
#else
#define await_turn atomic_cond_read_acquire
#endif

static atomic_t next, turn, entries;
static int shared;

static void *thread(void *unused) {
    int ticket = READ_ONCE(next);
    while (!atomic_try_cmpxchg_relaxed(&next, &ticket, ticket + 1))
        ;
    await_turn(&turn, VAL == ticket);
    WRITE_ONCE(shared, READ_ONCE(shared) + 1);
    atomic_set_release(&turn, ticket + 1);
    atomic_inc(&entries);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, thread, 0);
    pthread_create(&two, 0, thread, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(READ_ONCE(shared) == 2);
    assert(atomic_read(&entries) == 2);
    return 0;
}
