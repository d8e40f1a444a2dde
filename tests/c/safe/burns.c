/* J. E. Burns, N. A. Lynch, Bounds on shared memory for mutual exclusion, Inf. Comput. 107(2), 1993: one bit
 * for each thread. Wrong without a fence between raising the own bit and reading the others'. */
#include "mutex.h"

static shared flag[THREADS];

static void enter(int me) {
    int tries = 0;
again:
    STORE(flag[me], 0);
    for (int j = 0; j < me; j++)
        WAIT_WHILE(flag[j]);
    STORE(flag[me], 1);
    FENCE();
    for (int j = 0; j < me; j++)
        if (flag[j]) {
            RETRY(tries);
            goto again;
        }
    for (int j = me + 1; j < THREADS; j++)
        WAIT_WHILE(flag[j]);
}

static void leave(int me) { STORE(flag[me], 0); }
