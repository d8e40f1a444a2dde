/* J. Mellor-Crummey, M. Scott, Scalable reader-writer synchronization, PPoPP 1991: a counter of readers and a bit
   for the writer; two writers and a reader. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define WRITER 1
#define READER 2

static atomic_int lock;
static int first, second;

static void *write_both(void *argument)
{
    (void)argument;
    int free;
    do
        free = 0;
    while (!atomic_compare_exchange_strong_explicit(
        &lock, &free, WRITER, memory_order_acquire, memory_order_relaxed));
    first++;
    second++;
    atomic_fetch_sub_explicit(&lock, WRITER, memory_order_release);
    return NULL;
}

static void *read_both(void *argument)
{
    (void)argument;
    atomic_fetch_add_explicit(&lock, READER, memory_order_acquire);
    while (atomic_load_explicit(&lock, memory_order_acquire) & WRITER)
        ;
    assert(first == second);
    atomic_fetch_sub_explicit(&lock, READER, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t one, two, reader;
    pthread_create(&one, NULL, write_both, NULL);
    pthread_create(&two, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(reader, NULL);
    assert(first == 2);
    return 0;
}
