/* A worker says that it is done, and a collector joins it by the number that main has from pthread_create: that is where
 * main wants it before the worker starts. -DCOPY: main copies the number afterwards, and the collector may read the
 * copy too early. The joined thread was started after the one that joins it, so an assertion behind the join can fail
 * (-DEXPECTED=41). */
#include <assert.h>
#include <pthread.h>

#ifndef EXPECTED
#define EXPECTED 42
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t number, copy;
static int done, answer;

static void *work(void *unused) {
    answer = 42;
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *collect(void *unused) {
    int seen;
    pthread_mutex_lock(&mutex);
    seen = done;
    pthread_mutex_unlock(&mutex);
    if (seen) {
#ifdef COPY
        pthread_join(copy, 0);
#else
        pthread_join(number, 0);
#endif
        assert(answer == EXPECTED);
        answer++;
    }
    return unused;
}

int main(void) {
    pthread_t collector;
    pthread_create(&collector, 0, collect, 0);
    pthread_create(&number, 0, work, 0);
    copy = number;
    pthread_join(collector, 0);
    return 0;
}
