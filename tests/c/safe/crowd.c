/* Very many threads take turns with a lock that does not keep two of them apart: it is tested, and then set (-DTESTED).
 * Two of them are enough to see it; that nothing is wrong with a mutex would take all of them. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside, set;

static void *visit(void *unused) {
#ifdef TESTED
    if (set)
        return unused;
    set = 1;
#else
    pthread_mutex_lock(&mutex);
#endif
    inside++;
    assert(inside == 1);
    inside--;
#ifdef TESTED
    set = 0;
#else
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[5000];
    for (int i = 0; i < 5000; i++)
        pthread_create(&threads[i], 0, visit, 0);
    for (int i = 0; i < 5000; i++)
        pthread_join(threads[i], 0);
    return 0;
}
