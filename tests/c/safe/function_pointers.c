/* Functions through pointers, in a table and as thread bodies. -DWRONG asserts that only one of them runs. */
#include <assert.h>
#include <pthread.h>

static int x;

static int twice(int a) { return 2 * a; }
static int square(int a) { return a * a; }

static int (*const table[2])(int) = {twice, square};
static volatile int chosen;

static void *chooser(void *unused) {
    chosen = 1;
    return 0;
}

static void *user(void *unused) {
    int (*function)(int) = chosen ? square : twice;
    x = function(3);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    void *(*bodies[2])(void *) = {chooser, user};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, bodies[i], 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
#ifdef WRONG
    assert(x == table[0](3));
#else
    assert(x == table[0](3) || x == table[1](3));
#endif
    return 0;
}
