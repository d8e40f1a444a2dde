/* What the mutual exclusion algorithms share: fences by level, waiting, the critical section, main.
 *
 * -DF=0   no fence
 * -DF=1   the fences that TSO needs: between a store and a later load of another variable in the entry protocol
 * -DF=2   a fence after every store
 * -DATOMIC  every shared variable is a seq_cst atomic: correct under every model, since programs whose
 *           accesses are all seq_cst behave as under sequential consistency
 * -DSPINS=K  waiting loops give up (the run does not count) after K rounds
 *
 * The critical section writes its owner and reads it back. Without mutual exclusion another thread's write
 * can come between. F=1 is not enough under PSO, where that write may be delayed beyond the exit protocol.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef F
#define F 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef RETRIES
#define RETRIES 2
#endif

#ifdef ATOMIC
typedef _Atomic int shared;
#else
typedef volatile int shared;
#endif

extern void __VERIFIER_assume(int condition);

static inline void full_fence(void) { atomic_thread_fence(memory_order_seq_cst); }

#if F == 1
#define FENCE() full_fence()
#else
#define FENCE() ((void)0)
#endif

#if F == 2
#define STORE(variable, value) do { (variable) = (value); full_fence(); } while (0)
#else
#define STORE(variable, value) do { (variable) = (value); } while (0)
#endif

#ifdef SPINS
#define WAIT_WHILE(condition)                                \
    do {                                                     \
        int spins = 0;                                       \
        while (condition)                                    \
            if (++spins > SPINS) __VERIFIER_assume(0);       \
    } while (0)
#else
#define WAIT_WHILE(condition) do { while (condition) ; } while (0)
#endif

/* Loops that do more than wait: a run that goes round too often does not count. */
#define RETRY(tries) do { if (++(tries) > RETRIES) __VERIFIER_assume(0); } while (0)

static shared owner;

static inline void critical_section(int me) {
    STORE(owner, me);
    assert(owner == me);
}

static void enter(int me);
static void leave(int me);

static void *thread(void *argument) {
    int me = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        enter(me);
        critical_section(me);
        leave(me);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
