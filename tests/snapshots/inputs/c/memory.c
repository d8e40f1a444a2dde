/* One mistake with memory for each macro; without one there is none. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *shared;
static int table[3];

static void *user(void *index) {
    int i = (int)(long)index;
#ifdef OUTSIDE
    table[i + 3] = 1;
#elif defined(NULL_POINTER)
    *(int *)0 = i;
#elif defined(FREED)
    *shared = i;
#elif defined(TWICE)
    free(shared);
#else
    table[i] = 1;
#endif
    return 0;
}

int main(void) {
    pthread_t one;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&one, 0, user, (void *)1);
#if defined(FREED) || defined(TWICE)
    free(shared);
#endif
    pthread_join(one, 0);
    assert(table[1] < 2);
#if !defined(FREED) && !defined(TWICE)
    free(shared);
#endif
    return 0;
}
