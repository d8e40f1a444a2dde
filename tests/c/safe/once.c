/* pthread_once: run once, and done when it returns. -DWRONG: called by hand, it can run twice. */
#include <assert.h>
#include <pthread.h>

static int runs;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void) { runs = runs + 1; }

static void *thread(void *unused) {
#ifdef WRONG
    if (!runs)
        initialise();
#else
    pthread_once(&once, initialise);
#endif
    assert(runs == 1);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread, 0);
    pthread_create(&threads[1], 0, thread, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
