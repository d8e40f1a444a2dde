/* B. K. Szymanski, A simple solution to Lamport's concurrent programming problem, ICS 1988.
 * 1: wants to enter, 2: waits in the room, 3: at the door, 4: the door is closed behind it. */
#include "mutex.h"

static shared flag[2];

static void enter(int me) {
    int other = 1 - me;
    STORE(flag[me], 1);
    FENCE();
    WAIT_WHILE(flag[other] >= 3);
    STORE(flag[me], 3);
    FENCE();
    if (flag[other] == 1) {
        STORE(flag[me], 2);
        FENCE();
        WAIT_WHILE(flag[other] != 4);
    }
    STORE(flag[me], 4);
    FENCE();
    if (me == 1)
        WAIT_WHILE(flag[0] >= 2);
}

static void leave(int me) {
    if (me == 0)
        WAIT_WHILE((flag[1] | 1) == 3); /* 2 or 3, by a single read */
    STORE(flag[me], 0);
}
