/* Store buffering: each thread writes its variable and reads the other's. Not both read the old value under
 * SC; both can under TSO and weaker models unless each has a full fence between (-DF=1).
 * -DOWN: each thread reads its own write first. With store forwarding that changes nothing; a model that makes
 * a thread wait until its own write is visible before it can read it would miss the execution. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if F == 1
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

static volatile int x, y;
static int a, b;

static void *first(void *unused) {
    x = 1;
#ifdef OWN
    assert(x == 1);
#endif
    FENCE();
    a = y;
    return 0;
}

static void *second(void *unused) {
    y = 1;
#ifdef OWN
    assert(y == 1);
#endif
    FENCE();
    b = x;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 1 || b == 1);
    return 0;
}
