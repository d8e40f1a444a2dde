/* A letter, then a flag that announces it. Relaxed accesses to the flag do not order those to the letter. */
#include <pthread.h>
#include <stdatomic.h>

static int letter, copy;
static atomic_int flag;

static void *writer(void *unused) {
    letter = 42;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        copy = letter;
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
