/* Any values: assuming restricts them. -DWRONG does not, and the sum overflows. */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);

static int x, y;

static void *first(void *unused) {
    int any = __VERIFIER_nondet_int();
#ifndef WRONG
    __VERIFIER_assume(any >= 0 && any < 100);
#endif
    x = any;
    return 0;
}

static void *second(void *unused) {
    y = x;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(x + y >= 0);
    return 0;
}
