/* S. Doherty, L. Groves, V. Luchangco, M. Moir, Formal verification of a practical lock-free queue algorithm, FORTE
   2004: whoever takes looks at the tail only after the head has moved. */
#include "queue.h"

static int take(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (next == NULL)
            return 0;
        int item = next->item;
        if (!atomic_compare_exchange_strong_explicit(
                &head, &first, next, memory_order_release, memory_order_relaxed))
            continue;
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        if (first == last)
            atomic_compare_exchange_strong_explicit(
                &tail, &last, next, memory_order_release, memory_order_relaxed);
        return item;
    }
}
