/* A stack in an array behind a mutex: whoever takes finds what was put last, whatever the model, since every
 * access is under the lock. -DWRONG takes without looking whether the stack is empty. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static int items[N], top;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *put(void *unused) {
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&mutex);
        assert(top < N);
        items[top] = k + 1;
        top++;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

static void *take(void *unused) {
    for (int k = 0; k < N; k++) {
        pthread_mutex_lock(&mutex);
#ifndef WRONG
        if (top > 0)
#endif
        {
            top--;
            assert(top >= 0);
            assert(items[top] > 0);
        }
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, put, 0);
    pthread_create(&threads[1], 0, take, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
