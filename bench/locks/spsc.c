/* L. Lamport, Specifying concurrent program modules, TOPLAS 1983: a ring with one producer and one consumer; main
   is the third thread. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SIZE 2
#define ITEMS 3

static int ring[SIZE];
static atomic_uint head, tail;

static void *produce(void *argument)
{
    (void)argument;
    for (int item = 1; item <= ITEMS; item++) {
        unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
        while (at - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
            ;
        ring[at % SIZE] = item;
        atomic_store_explicit(&tail, at + 1, memory_order_release);
    }
    return NULL;
}

static void *consume(void *argument)
{
    (void)argument;
    for (int item = 1; item <= ITEMS; item++) {
        unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
        while (atomic_load_explicit(&tail, memory_order_acquire) == at)
            ;
        assert(ring[at % SIZE] == item);
        atomic_store_explicit(&head, at + 1, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
