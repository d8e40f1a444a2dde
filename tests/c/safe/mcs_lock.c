/* J. M. Mellor-Crummey, M. L. Scott, Algorithms for scalable synchronization, ACM TOCS 9(1), 1991. */
#include "lock.h"

struct node {
    struct node *_Atomic next;
    atomic_int waits;
};

static struct node nodes[THREADS];
static struct node *_Atomic tail;

static void prepare(void) {}

static void lock(int me) {
    struct node *mine = &nodes[me];
    atomic_store_explicit(&mine->next, 0, memory_order_relaxed);
    atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, mine, ACQUIRE_RELEASE);
    if (before) {
        atomic_store_explicit(&before->next, mine, RELEASE);
        while (atomic_load_explicit(&mine->waits, ACQUIRE))
            ;
    }
}

static void unlock(int me) {
    struct node *mine = &nodes[me];
    struct node *after = atomic_load_explicit(&mine->next, ACQUIRE);
    if (!after) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, 0, ACQUIRE_RELEASE, ACQUIRE))
            return;
        while (!(after = atomic_load_explicit(&mine->next, ACQUIRE)))
            ;
    }
    atomic_store_explicit(&after->waits, 0, RELEASE);
}
