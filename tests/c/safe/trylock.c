/* Only one thread gets a mutex by trylock while nobody unlocks. -DWRONG: it does not look at the result. */
#include <assert.h>
#include <pthread.h>

static int got;
static pthread_mutex_t mutex;

static void *thread(void *unused) {
    int failed = pthread_mutex_trylock(&mutex);
#ifdef WRONG
    failed = 0;
#endif
    if (!failed) {
        int before = got;
        got = before + 1;
        assert(before == 0);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_mutex_init(&mutex, 0);
    pthread_create(&threads[0], 0, thread, 0);
    pthread_create(&threads[1], 0, thread, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
