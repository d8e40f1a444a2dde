/* What the mutual exclusion algorithms share. All accesses are relaxed atomics, and there is no fence: they are wrong
   under every weak model. The critical section writes its owner and reads it back. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 2
#ifndef RETRIES
#define RETRIES 2
#endif
typedef atomic_int shared;

extern void __VERIFIER_assume(int condition);

/* Loops that do more than wait: a run that goes round too often does not count. */
#define RETRY(tries) do { if (++(tries) > RETRIES) __VERIFIER_assume(0); } while (0)

static shared owner;
static void enter(int me);
static void leave(int me);

static void *thread(void *argument)
{
    int me = (int)(long)argument;
    enter(me);
    atomic_store_explicit(&owner, me, memory_order_relaxed);
    assert(atomic_load_explicit(&owner, memory_order_relaxed) == me);
    leave(me);
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
