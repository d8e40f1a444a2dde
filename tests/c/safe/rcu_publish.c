/* Publishing a new object by a pointer, as RCU's updaters do.
 *
 * -DSTORE=relaxed: PSO, and all weaker models, can show the pointer before the object's contents.
 * -DLOAD=relaxed: the address dependency orders the reads on every architecture here but Alpha, which reads
 * through a pointer as old as it likes; in RC11 dependencies order nothing. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef STORE
#define STORE release
#endif
#ifndef LOAD
#define LOAD acquire
#endif
#define JOINED(a, b) a##b
#define ORDER(name) JOINED(memory_order_, name)

struct object {
    atomic_int a, b;
};

static struct object *_Atomic published;

static void *updater(void *unused) {
    struct object *fresh = calloc(1, sizeof *fresh);
    atomic_store_explicit(&fresh->a, 1, memory_order_relaxed);
    atomic_store_explicit(&fresh->b, 2, memory_order_relaxed);
    atomic_store_explicit(&published, fresh, ORDER(STORE));
    return 0;
}

static void *reader(void *unused) {
    struct object *seen = atomic_load_explicit(&published, ORDER(LOAD));
    if (seen) {
        assert(atomic_load_explicit(&seen->a, memory_order_relaxed) == 1);
        assert(atomic_load_explicit(&seen->b, memory_order_relaxed) == 2);
    }
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, updater, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
