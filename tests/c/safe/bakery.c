/* L. Lamport, A new solution of Dijkstra's concurrent programming problem, CACM 17(8), 1974.
 * Fences for TSO: after announcing that a number is chosen, and after it was chosen. */
#include "mutex.h"

static shared choosing[THREADS], number[THREADS];

static void enter(int me) {
    int largest = 0;
    STORE(choosing[me], 1);
    FENCE();
    for (int j = 0; j < THREADS; j++) {
        int other = number[j];
        if (other > largest)
            largest = other;
    }
    int mine = largest + 1;
    STORE(number[me], mine);
    STORE(choosing[me], 0);
    FENCE();
    for (int j = 0; j < THREADS; j++) {
        if (j == me)
            continue;
        WAIT_WHILE(choosing[j]);
#ifdef SPINS
        int spins = 0;
#endif
        for (;;) {
            int other = number[j];
            if (other == 0 || other > mine || (other == mine && j > me))
                break;
#ifdef SPINS
            if (++spins > SPINS) __VERIFIER_assume(0);
#endif
        }
    }
}

static void leave(int me) { STORE(number[me], 0); }
