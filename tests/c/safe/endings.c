/* Ends of threads and of the program: pthread_exit ends a thread, abort the program, reach_error is wrong.
 * -DWRONG reaches it. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);

static int x;

static void *thread(void *unused) {
    x = 1;
    pthread_exit(0);
    x = 2;
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    pthread_join(other, 0);
#ifdef WRONG
    if (x == 1)
        reach_error();
#else
    if (x == 2)
        reach_error();
    if (x == 1)
        abort();
    reach_error();
#endif
    return 0;
}
