/* A test-and-set lock whose author asked for no order at all; -DSTRONG asks for all of it, everywhere. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int locked;
static int counter;

#ifndef STRONG
static void lock(void)
{
    while (atomic_exchange_explicit(&locked, 1, memory_order_relaxed))
        while (atomic_load_explicit(&locked, memory_order_relaxed))
            ;
}

static void unlock(void)
{
    atomic_store_explicit(&locked, 0, memory_order_relaxed);
}
#else
static void lock(void)
{
    while (atomic_exchange(&locked, 1))
        while (atomic_load(&locked))
            ;
}

static void unlock(void)
{
    atomic_store(&locked, 0);
}
#endif

static void *work(void *argument)
{
    lock();
    counter++;
    unlock();
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2);
    return 0;
}
