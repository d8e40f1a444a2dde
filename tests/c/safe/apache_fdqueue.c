/* Apache's fdqueue, the hand-over of a recycled memory pool (ap_queue_info_set_idle and its counterpart): a
 * worker links its pool into a list by compare-and-swap and counts itself idle; the listener waits for an idle
 * worker and takes the pool. What it takes must be the pool, with its contents.
 *
 * By default the atomic operations are seq_cst, as APR's are. -DRELAXED: correct under TSO and PSO, whose atomic
 * instructions are fences; Power, ARM and RC11 can show the counter before the list or the list before the
 * pool. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

struct pool {
    atomic_int contents;
    struct pool *_Atomic next;
};

static struct pool *_Atomic recycled;
static atomic_int idlers;

static void *worker(void *unused) {
    struct pool *mine = malloc(sizeof *mine);
    atomic_store_explicit(&mine->contents, 7, memory_order_relaxed);
    struct pool *first = atomic_load_explicit(&recycled, ORDER);
    atomic_store_explicit(&mine->next, first, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&recycled, &first, mine, ORDER, memory_order_relaxed))
        atomic_fetch_add_explicit(&idlers, 1, ORDER);
    return 0;
}

static void *listener(void *unused) {
    while (atomic_load_explicit(&idlers, ORDER) == 0)
        ;
    atomic_fetch_sub_explicit(&idlers, 1, ORDER);
    struct pool *first = atomic_load_explicit(&recycled, ORDER);
    assert(first != 0);
    struct pool *next = atomic_load_explicit(&first->next, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&recycled, &first, next, ORDER, memory_order_relaxed))
        assert(atomic_load_explicit(&first->contents, memory_order_relaxed) == 7);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, worker, 0);
    pthread_create(&threads[1], 0, listener, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
