/* H.-J. Boehm, Can seqlocks get along with programming language memory models? MSPC 2012: two writers, a reader. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int sequence, first, second;

static void *write_both(void *argument)
{
    (void)argument;
    int seen;
    do {
        while ((seen = atomic_load_explicit(&sequence, memory_order_relaxed)) & 1)
            ;
    } while (!atomic_compare_exchange_strong_explicit(
        &sequence, &seen, seen + 1, memory_order_acquire, memory_order_relaxed));
    atomic_thread_fence(memory_order_release);
    int value = atomic_load_explicit(&first, memory_order_relaxed) + 1;
    atomic_store_explicit(&first, value, memory_order_relaxed);
    atomic_store_explicit(&second, value, memory_order_relaxed);
    atomic_store_explicit(&sequence, seen + 2, memory_order_release);
    return NULL;
}

static void *read_both(void *argument)
{
    (void)argument;
    int before, after, one, two;
    do {
        while ((before = atomic_load_explicit(&sequence, memory_order_acquire)) & 1)
            ;
        one = atomic_load_explicit(&first, memory_order_relaxed);
        two = atomic_load_explicit(&second, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after);
    assert(one == two);
    return NULL;
}

int main(void)
{
    pthread_t writer, other, reader;
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&other, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_join(writer, NULL);
    pthread_join(other, NULL);
    pthread_join(reader, NULL);
    assert(atomic_load(&first) == 2);
    return 0;
}
