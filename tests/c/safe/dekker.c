/* Dekker's algorithm (E. W. Dijkstra, EWD 123, 1965): flags say who wants to enter, turn who may insist.
 * Wrong without a fence between raising the own flag and reading the other's. */
#include "mutex.h"

static shared flag[2], turn;

static void enter(int me) {
    int other = 1 - me, tries = 0;
    STORE(flag[me], 1);
    FENCE();
    while (flag[other]) {
        RETRY(tries);
        if (turn != me) {
            STORE(flag[me], 0);
            WAIT_WHILE(turn != me);
            STORE(flag[me], 1);
            FENCE();
        }
    }
}

static void leave(int me) {
    STORE(turn, 1 - me);
    STORE(flag[me], 0);
}
