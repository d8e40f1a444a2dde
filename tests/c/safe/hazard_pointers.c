/* Treiber's stack whose nodes are freed. Two threads pop; who reads `next` of a node that the other one has
   popped and freed meanwhile uses it after it was freed. With HAZARD each thread announces the node that it is
   about to read and looks again whether it is still on top, and who pops it waits with freeing it (M. Michael,
   Hazard pointers, 2004). HASTY: without looking again. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top;
_Atomic(struct node *) hazard[2];

void push(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &node->next, node))
        ;
}

int pop(int me) {
    for (;;) {
        struct node *node = atomic_load(&top);
        if (!node)
            return 0;
#ifdef HAZARD
        atomic_store(&hazard[me], node);
#ifndef HASTY
        if (atomic_load(&top) != node)
            continue;
#endif
#endif
        struct node *next = node->next;
        if (!atomic_compare_exchange_strong(&top, &node, next))
            continue;
#ifdef HAZARD
        atomic_store(&hazard[me], 0);
        while (atomic_load(&hazard[1 - me]) == node)
            ;
#endif
        int value = node->value;
        free(node);
        return value;
    }
}

void *first(void *unused) {
    return (void *)(long)pop(0);
}

void *second(void *unused) {
    return (void *)(long)pop(1);
}

int main(void) {
    pthread_t one, two;
    void *got, *also;
    push(1);
    push(2);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, &got);
    pthread_join(two, &also);
    assert((long)got + (long)also == 3);
    return 0;
}
