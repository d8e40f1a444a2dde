/* GNU's builtins: __sync operations are full fences, __atomic ones take an order. -DWRONG adds in two steps. */
#include <assert.h>
#include <pthread.h>

static int counter, flag, data;

static void *first(void *unused) {
    data = 5;
    __sync_fetch_and_add(&counter, 1);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return 0;
}

static void *second(void *unused) {
#ifdef WRONG
    counter = counter + 1;
#else
    int seen = __atomic_load_n(&counter, __ATOMIC_RELAXED);
    while (!__sync_bool_compare_and_swap(&counter, seen, seen + 1))
        seen = 1; /* the other thread adds once, so that the second try succeeds */
#endif
    if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        assert(data == 5);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(counter == 2);
    return 0;
}
