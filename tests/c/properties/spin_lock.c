/* A counter behind a spin lock of a chosen kind: TAS (exchange), CAS, TTAS (look, then exchange), TICKET.
 * -DLOST: the first thread to come forgets to unlock. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word, next, serving;
static int counter;

static void lock(void) {
#if defined(TICKET)
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
#elif defined(CAS)
    int expected = 0;
    while (!atomic_compare_exchange_weak_explicit(&word, &expected, 1, memory_order_acquire,
                                                  memory_order_relaxed))
        expected = 0;
#elif defined(TTAS)
    do {
        while (atomic_load_explicit(&word, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&word, 1, memory_order_acquire));
#else
    while (atomic_exchange_explicit(&word, 1, memory_order_acquire))
        ;
#endif
}

static void unlock(void) {
#ifdef TICKET
    int now = atomic_load_explicit(&serving, memory_order_relaxed);
    atomic_store_explicit(&serving, now + 1, memory_order_release);
#else
    atomic_store_explicit(&word, 0, memory_order_release);
#endif
}

static void *thread(void *unused) {
    lock();
    int seen = counter++;
#ifdef LOST
    if (seen > 0)
#endif
        unlock();
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, thread, 0);
    pthread_create(&other, 0, thread, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
