/* L. Lamport, A fast mutual exclusion algorithm, ACM TOCS 5(1), 1987, algorithm 2. Threads are 1 and up.
 * Fences for TSO: after writing x and after writing y, each of which is followed by a read of the other. */
#include "mutex.h"

static shared busy[THREADS + 1], x, y;

static void enter(int me) {
    int i = me + 1, tries = 0;
    for (;;) {
        STORE(busy[i], 1);
        STORE(x, i);
        FENCE();
        if (y != 0) {
            STORE(busy[i], 0);
            WAIT_WHILE(y != 0);
            RETRY(tries);
            continue;
        }
        STORE(y, i);
        FENCE();
        if (x == i)
            return;
        STORE(busy[i], 0);
        for (int j = 1; j <= THREADS; j++)
            WAIT_WHILE(busy[j]);
        if (y == i)
            return;
        WAIT_WHILE(y != 0);
        RETRY(tries);
    }
}

static void leave(int me) {
    STORE(y, 0);
    STORE(busy[me + 1], 0);
}
