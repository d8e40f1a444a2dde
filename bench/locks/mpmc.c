/* D. Vyukov's bounded queue for many producers and consumers: each cell has a sequence number; two producers and a
   consumer. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SIZE 2

static struct {
    atomic_uint sequence;
    int item;
} cells[SIZE] = {{0, 0}, {1, 0}};
static atomic_uint head, tail;

static void put(int item)
{
    unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
    for (;;) {
        unsigned ready = atomic_load_explicit(&cells[at % SIZE].sequence, memory_order_acquire);
        if (ready == at) {
            if (atomic_compare_exchange_strong_explicit(
                    &tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
                break;
        } else {
            at = atomic_load_explicit(&tail, memory_order_relaxed);
        }
    }
    cells[at % SIZE].item = item;
    atomic_store_explicit(&cells[at % SIZE].sequence, at + 1, memory_order_release);
}

static int take(void)
{
    unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
    for (;;) {
        unsigned ready = atomic_load_explicit(&cells[at % SIZE].sequence, memory_order_acquire);
        if (ready == at + 1) {
            if (atomic_compare_exchange_strong_explicit(
                    &head, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
                break;
        } else {
            at = atomic_load_explicit(&head, memory_order_relaxed);
        }
    }
    int item = cells[at % SIZE].item;
    atomic_store_explicit(&cells[at % SIZE].sequence, at + SIZE, memory_order_release);
    return item;
}

static void *produce(void *argument)
{
    put((int)(long)argument);
    return NULL;
}

static void *consume(void *argument)
{
    (void)argument;
    int first = take(), second = take();
    assert(first + second == 3);
    return NULL;
}

int main(void)
{
    pthread_t one, two, consumer;
    pthread_create(&one, NULL, produce, (void *)1L);
    pthread_create(&two, NULL, produce, (void *)2L);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
