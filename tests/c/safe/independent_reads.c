/* Independent reads of independent writes: two readers disagree on the order of two writes. Forbidden where
 * stores reach all threads at once and reads stay in order (SC, TSO, PSO, and AArch64 with acquires); allowed on
 * Power and in RC11 with acquire reads, because the two writes are not ordered there; forbidden again with
 * seq_cst accesses (-DSEQ). On ARMv7 the barrier behind an acquire read is a full one: forbidden. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined(SEQ)
#define WRITE memory_order_seq_cst
#define READ memory_order_seq_cst
#else
#define WRITE memory_order_release
#define READ memory_order_acquire
#endif

static atomic_int x, y;
static int a, b, c, d;

static void *write_x(void *unused) {
    atomic_store_explicit(&x, 1, WRITE);
    return 0;
}

static void *write_y(void *unused) {
    atomic_store_explicit(&y, 1, WRITE);
    return 0;
}

static void *read_xy(void *unused) {
    a = atomic_load_explicit(&x, READ);
    b = atomic_load_explicit(&y, READ);
    return 0;
}

static void *read_yx(void *unused) {
    c = atomic_load_explicit(&y, READ);
    d = atomic_load_explicit(&x, READ);
    return 0;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], 0, write_x, 0);
    pthread_create(&threads[1], 0, write_y, 0);
    pthread_create(&threads[2], 0, read_xy, 0);
    pthread_create(&threads[3], 0, read_yx, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(!(a == 1 && b == 0 && c == 1 && d == 0));
    return 0;
}
