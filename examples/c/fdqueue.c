/* The hand-over of Apache's fdqueue (J. Alglave, D. Kroening, M. Tautschnig, CAV 2013, section 6): a listener
 * passes a socket and its memory pool to an idle worker. How many workers are idle is an integer that is
 * changed by atomic instructions; the queue itself is protected by a mutex. What a worker takes from the queue
 * must be what the listener put there, contents included.
 *
 * Safe under SC, TSO and Power. -DNO_MUTEX leaves the queue to the counter alone: then Power can show the worker
 * an element whose contents have not arrived. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef NO_MUTEX
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&mutex)
#define UNLOCK() pthread_mutex_unlock(&mutex)
#endif

struct element {
    volatile int socket, pool;
};

static struct element queue[2];
static volatile int elements;
static atomic_int idlers;

static void *listener(void *unused) {
    if (atomic_load_explicit(&idlers, memory_order_relaxed) == 0)
        return 0; /* nobody is there: the connection waits */
    atomic_fetch_sub_explicit(&idlers, 1, memory_order_relaxed);
    LOCK();
    queue[elements].socket = 5;
    queue[elements].pool = 7;
    elements = elements + 1;
    UNLOCK();
    return 0;
}

static void *worker(void *unused) {
    atomic_fetch_add_explicit(&idlers, 1, memory_order_relaxed);
    LOCK();
    int here = elements;
    if (here > 0) {
        elements = here - 1;
        assert(queue[here - 1].socket == 5 && queue[here - 1].pool == 7);
    }
    UNLOCK();
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, worker, 0);
    pthread_create(&threads[1], 0, worker, 0);
    pthread_create(&threads[2], 0, listener, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
