/* A thread takes the lowest free bit of a mask, another one takes the next; ffs counts bits from one. */
#include <assert.h>
#include <pthread.h>
#include <strings.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int mask = -2;

static int take(void) {
    int found;
    pthread_mutex_lock(&mutex);
    found = ffs(mask) - 1;
    mask &= ~(1 << found);
    pthread_mutex_unlock(&mutex);
    return found;
}

static void *other(void *mine) {
    *(int *)mine = take();
    return 0;
}

int main(void) {
    pthread_t thread;
    int first, second;
    assert(ffs(0) == 0 && ffs(12) == 3 && ffs(-1) == 1);
    pthread_create(&thread, 0, other, &first);
    second = take();
    pthread_join(thread, 0);
    assert(first + second == 3 && first != second);
    return 0;
}
