/* Two threads and an MCS lock. A thread that queues says that it waits, then makes itself known to its
 * predecessor. -DWEAK: the second store may overtake the first; the predecessor then wakes it too early, the mark
 * comes afterwards, and the thread waits for ever. */
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

struct node {
    atomic_int waits;
    _Atomic(struct node *) next;
};

static struct node nodes[2];
static _Atomic(struct node *) tail;
static int counter;

static void *thread(void *number) {
    struct node *mine = &nodes[(long)number];
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
        atomic_store_explicit(&before->next, mine, PUBLISH);
        while (atomic_load_explicit(&mine->waits, memory_order_acquire))
            ;
    }
    counter++;
    struct node *expected = mine;
    if (!atomic_compare_exchange_strong_explicit(&tail, &expected, (struct node *)0, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        struct node *after;
        while (!(after = atomic_load_explicit(&mine->next, memory_order_acquire)))
            ;
        atomic_store_explicit(&after->waits, 0, memory_order_release);
    }
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, thread, (void *)0);
    pthread_create(&other, 0, thread, (void *)1);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
