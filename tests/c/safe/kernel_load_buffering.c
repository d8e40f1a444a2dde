// Load buffering: a control dependency to a write orders, one that ended before the write (AFTER) does not order
// it under the kernel's model, since compilers may move the write up; processors keep it.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

int x, y, z, seen_by_first, seen_by_second;

void *first(void *unused) {
    int seen = READ_ONCE(x);
#ifdef AFTER
    if (seen)
        WRITE_ONCE(z, 1);
    WRITE_ONCE(y, 1);
#else
    if (seen)
        WRITE_ONCE(y, 1);
#endif
    seen_by_first = seen;
    return 0;
}

void *second(void *unused) {
    int seen = READ_ONCE(y);
    smp_mb();
    WRITE_ONCE(x, 1);
    seen_by_second = seen;
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!seen_by_first || !seen_by_second);
    return 0;
}
