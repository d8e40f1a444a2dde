/* Each thread has its own copy of a thread-local variable. -DWRONG: it is shared. */
#include <assert.h>
#include <pthread.h>

#ifdef WRONG
static int mine = 5;
#else
static _Thread_local int mine = 5;
#endif

static void *thread(void *argument) {
    mine += (int)(long)argument;
    mine += (int)(long)argument;
    assert(mine == 5 + 2 * (int)(long)argument);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread, (void *)1);
    pthread_create(&threads[1], 0, thread, (void *)2);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(mine == 5);
    return 0;
}
