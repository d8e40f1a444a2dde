/* A message that is announced by a flag. Release and acquire order it in C; relaxed accesses (-DRELAXED) do not,
 * but models that order all atomic accesses alike see no race. -DUNSEEN: the reader does not look at the flag. */
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

static int message, copy;
static atomic_int ready;

static void *writer(void *unused) {
    message = 42;
    atomic_store_explicit(&ready, 1, RELEASE);
    return 0;
}

static void *reader(void *unused) {
#ifdef UNSEEN
    copy = message;
#else
    if (atomic_load_explicit(&ready, ACQUIRE))
        copy = message;
#endif
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&other, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
