/* G. L. Peterson, Myths about the mutual exclusion problem, IPL 12(3), 1981.
 * Wrong without a fence between giving the turn away and reading the other's flag. */
#include "mutex.h"

static shared flag[2], turn;

static void enter(int me) {
    int other = 1 - me;
    STORE(flag[me], 1);
    STORE(turn, other);
    FENCE();
    WAIT_WHILE(flag[other] && turn == other);
}

static void leave(int me) { STORE(flag[me], 0); }
