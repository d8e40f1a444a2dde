/* A loop without a bound: no number of rounds covers it, so that the answer is UNKNOWN, not PASS. (It goes
 * round as often as the other thread lets it; its counter has room for every round that is looked at.) */
#include <assert.h>
#include <pthread.h>

static volatile int stop, rounds;

static void *runner(void *unused) {
    while (!stop)
        rounds++;
    assert(rounds >= 0);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, runner, 0);
    stop = 1;
    pthread_join(other, 0);
    return 0;
}
