/* M. Michael, M. Scott, Simple, fast, and practical non-blocking and blocking concurrent queue algorithms, PODC
   1996. */
#include "queue.h"

static int take(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (first != atomic_load_explicit(&head, memory_order_acquire))
            continue;
        if (next == NULL)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(
                &tail, &last, next, memory_order_release, memory_order_relaxed);
            continue;
        }
        int item = next->item;
        if (atomic_compare_exchange_strong_explicit(
                &head, &first, next, memory_order_release, memory_order_relaxed))
            return item;
    }
}
