/* Main joins a thread that waits for a flag. -DEARLY: main would set the flag only afterwards. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int go;

static void *runner(void *unused) {
    while (!atomic_load_explicit(&go, memory_order_acquire))
        ;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, runner, 0);
#ifdef EARLY
    pthread_join(thread, 0);
    atomic_store_explicit(&go, 1, memory_order_release);
#else
    atomic_store_explicit(&go, 1, memory_order_release);
    pthread_join(thread, 0);
#endif
    return 0;
}
