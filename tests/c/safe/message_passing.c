/* Message passing: data, then a flag. Plain accesses: wrong where stores (PSO) or loads (Power, ARM) change
 * places. -DSTORE and -DLOAD name C11 orders: release and acquire make it right under every model; relaxed is
 * as plain on hardware, and wrong under RC11. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef STORE
#define STORE release
#endif
#ifndef LOAD
#define LOAD acquire
#endif
#define JOINED(a, b) a##b
#define ORDER(name) JOINED(memory_order_, name)

static atomic_int data, flag;

static void *sender(void *unused) {
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, ORDER(STORE));
    return 0;
}

static void *receiver(void *unused) {
    if (atomic_load_explicit(&flag, ORDER(LOAD)))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, sender, 0);
    pthread_create(&threads[1], 0, receiver, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
