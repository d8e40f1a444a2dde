/* Two threads put an item each, and a third takes until it has both or has found the queue empty. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    int item;
    struct node *_Atomic next;
};

static struct node dummy;
static struct node *_Atomic head = &dummy, *_Atomic tail = &dummy;

static int take(void);

static void put(int item)
{
    struct node *mine = malloc(sizeof *mine);
    mine->item = item;
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    struct node *last;
    for (;;) {
        last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (next != NULL) {
            atomic_compare_exchange_strong_explicit(
                &tail, &last, next, memory_order_release, memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(
                &last->next, &next, mine, memory_order_release, memory_order_relaxed))
            break;
    }
    atomic_compare_exchange_strong_explicit(&tail, &last, mine, memory_order_release, memory_order_relaxed);
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
    assert(first <= 2 && second <= 2);
    assert(first == 0 || first != second);
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
