/* R. Treiber, Systems programming: coping with parallelism, IBM RJ 5118, 1986: three threads push and pop. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 3
#endif

struct node {
    int value;
    struct node *next;
};

static struct node *_Atomic top;
static atomic_int taken[THREADS];

static void push(int value)
{
    struct node *mine = malloc(sizeof *mine);
    mine->value = value;
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    do
        mine->next = old;
    while (!atomic_compare_exchange_strong_explicit(
        &top, &old, mine, memory_order_release, memory_order_relaxed));
}

static int pop(void)
{
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    while (old != NULL
        && !atomic_compare_exchange_strong_explicit(
            &top, &old, old->next, memory_order_acquire, memory_order_acquire))
        ;
    return old == NULL ? -1 : old->value;
}

static void *work(void *argument)
{
    push((int)(long)argument);
    int found = pop();
    assert(found >= 0);
    assert(atomic_fetch_add_explicit(&taken[found], 1, memory_order_relaxed) == 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
