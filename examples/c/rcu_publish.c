/* Read-copy-update as a reader sees it (J. Alglave, D. Kroening, M. Tautschnig, CAV 2013, section 6): an updater
 * copies the current object, changes the copy and publishes it by a pointer; readers follow the pointer without
 * any lock and must find a consistent object. `rcu_assign_pointer` needs a light fence on Power (lwsync);
 * readers rely on the address dependency alone.
 *
 * Safe under SC, TSO, PSO and Power. -DNO_FENCE takes the fence away: broken under PSO and Power. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef NO_FENCE
#define ASSIGN memory_order_relaxed
#else
#define ASSIGN memory_order_release
#endif

struct object {
    atomic_int first, second;
};

static struct object old_object = {1, 1}, new_object;
static struct object *_Atomic current = &old_object;

static void *updater(void *unused) {
    struct object *before = atomic_load_explicit(&current, memory_order_relaxed);
    int first = atomic_load_explicit(&before->first, memory_order_relaxed);
    atomic_store_explicit(&new_object.first, first + 1, memory_order_relaxed);
    atomic_store_explicit(&new_object.second, first + 1, memory_order_relaxed);
    atomic_store_explicit(&current, &new_object, ASSIGN);
    return 0;
}

static void *reader(void *unused) {
    struct object *seen = atomic_load_explicit(&current, memory_order_relaxed);
    int first = atomic_load_explicit(&seen->first, memory_order_relaxed);
    int second = atomic_load_explicit(&seen->second, memory_order_relaxed);
    assert(first == second && first > 0);
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
