/* Recursion, to the depth that the default bound allows. -DWRONG asserts another sum. */
#include <assert.h>
#include <pthread.h>

static int x = 1;

static int sum(int n) { return n == 0 ? 0 : x + sum(n - 1); }

static void *thread(void *unused) {
    x = 2;
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    int found = sum(2);
#ifdef WRONG
    assert(found != 3);
#else
    assert(found >= 2 && found <= 4);
#endif
    pthread_join(other, 0);
    return 0;
}
