/* A sequence lock (H.-J. Boehm, Can seqlocks get along with programming language memory models?, MSPC 2012):
 * a reader whose two reads of the sequence number agree, and are even, has seen both values of one write.
 *
 * By default with the fences that C11 needs. -DRELAXED has none: under PSO and weaker models the writer's
 * stores change places. TSO needs none. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#ifdef RELAXED
#define FENCE(order) ((void)0)
#define PUBLISH RLX
#define SEE RLX
#else
#define FENCE(order) atomic_thread_fence(order)
#define PUBLISH memory_order_release
#define SEE memory_order_acquire
#endif

static atomic_int sequence, first, second;

static void *writer(void *unused) {
    atomic_store_explicit(&sequence, 1, RLX);
    FENCE(memory_order_release);
    atomic_store_explicit(&first, 1, RLX);
    atomic_store_explicit(&second, 1, RLX);
    atomic_store_explicit(&sequence, 2, PUBLISH);
    return 0;
}

static void *reader(void *unused) {
    int before = atomic_load_explicit(&sequence, SEE);
    int a = atomic_load_explicit(&first, RLX);
    int b = atomic_load_explicit(&second, RLX);
    FENCE(memory_order_acquire);
    int after = atomic_load_explicit(&sequence, RLX);
    if (before == after && before % 2 == 0)
        assert(a == b);
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
