/* Each thread raises its flag, and goes on when it does not see the other's, or when the other is done. With
 * relaxed atomics both may overlook each other; no thread waits for ever. -DSTRICT: each insists on the other's
 * flag being down, and both can wait for ever. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];

static void *thread(void *number) {
    long me = (long)number;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
#ifdef STRICT
    while (atomic_load_explicit(&flag[1 - me], memory_order_relaxed))
        ;
#else
    while (me == 1 && atomic_load_explicit(&flag[0], memory_order_relaxed))
        ;
#endif
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, thread, (void *)0);
    pthread_create(&other, 0, thread, (void *)1);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
