/* Two threads increment a counter. PLAIN accesses race, and so does -DVOLATILE (not in the kernel's view, which takes
 * such an access as READ_ONCE). Mutexes (-DMUTEX), atomics (-DATOMIC) and atomic blocks (-DBLOCK) do not
 * race, and neither do threads that are joined before the next one starts (-DJOINED). -DMIXED: one thread uses an
 * atomic block, the other does not. */
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

#if defined(ATOMIC)
static atomic_int counter;
#elif defined(VOLATILE)
static volatile int counter;
#else
static int counter;
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *number) {
#if defined(MUTEX)
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
#elif defined(BLOCK)
    __VERIFIER_atomic_begin();
    counter++;
    __VERIFIER_atomic_end();
#elif defined(MIXED)
    if (number) {
        __VERIFIER_atomic_begin();
        counter++;
        __VERIFIER_atomic_end();
    } else
        counter++;
#else
    counter++;
#endif
    return 0;
}

int main(void) {
    pthread_t one, other;
    counter = 0;
    pthread_create(&one, 0, increment, (void *)0);
#ifdef JOINED
    pthread_join(one, 0);
#endif
    pthread_create(&other, 0, increment, (void *)1);
#ifndef JOINED
    pthread_join(one, 0);
#endif
    pthread_join(other, 0);
    return counter;
}
