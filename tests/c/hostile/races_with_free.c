// EXPECT sc:race:FAIL rc11:race:FAIL sc:safety:FAIL -D AFTER sc:race:PASS rc11:race:PASS -D ATOMIC sc:race:FAIL rc11:race:FAIL -D TWICE sc:race:FAIL rc11:race:FAIL -D OTHER sc:race:PASS rc11:race:PASS
// What frees an object races with every access to it that nothing orders with it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box { int first; atomic_int second; } *box, *kept;

static void *frees(void *unused) {
    free(box);
    return unused;
}

static void *uses(void *unused) {
#if defined ATOMIC
    atomic_store(&box->second, 1);
#elif defined TWICE
    free(box);
#elif defined OTHER
    kept->first = 1;
#else
    box->first = 1;
#endif
    return unused;
}

int main(void) {
    pthread_t one, two;
    box = malloc(sizeof *box);
    kept = malloc(sizeof *kept);
    pthread_create(&two, 0, uses, 0);
#ifdef AFTER
    pthread_join(two, 0);
#endif
    pthread_create(&one, 0, frees, 0);
    pthread_join(one, 0);
#ifndef AFTER
    pthread_join(two, 0);
#endif
    return 0;
}
