/* Memory tells which thread is joined: a counter that everybody sees, or a choice (-DCHOICE), after which only the chosen
 * thread has surely ended (-DOTHER asserts it of the other one). */
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static pthread_t threads[2];
static int done[2], which;

static void *work(void *mine) {
    *(int *)mine = 1;
    return 0;
}

int main(void) {
    for (which = 0; which < 2; which++)
        pthread_create(&threads[which], 0, work, &done[which]);
#ifdef CHOICE
    which = __VERIFIER_nondet_int() != 0;
    pthread_join(threads[which], 0);
#ifdef OTHER
    assert(done[!which]);
#else
    assert(done[which]);
#endif
#else
    for (which = 0; which < 2; which++)
        pthread_join(threads[which], 0);
    assert(done[0] && done[1]);
#endif
    return 0;
}
