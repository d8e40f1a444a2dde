/* The work-stealing deque of D. Chase and Y. Lev in the form of N. M. Le, A. Pop, A. Cohen, F. Zappa Nardelli,
 * Correct and efficient work-stealing for weak memory models, PPoPP 2013. The owner puts two elements and takes
 * twice, thieves steal twice each; nobody gets an element that another has got, or one that was not put.
 * -DNOFENCE drops the two seq_cst fences: the owner's store of `bottom` can then be delayed beyond its read of
 * `top` (TSO and weaker), and both the owner and a thief get the last but one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THIEVES
#define THIEVES 1
#endif
#ifndef STEALS
#define STEALS 2
#endif
#ifdef NOFENCE
#define FENCE() ((void)0)
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif
#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define SC memory_order_seq_cst

static atomic_int top, bottom, items[3];
static atomic_int got[3];

static void check(int item) {
    assert(item == 1 || item == 2);
    assert(atomic_fetch_add_explicit(&got[item], 1, RLX) == 0);
}

static void put(int item) {
    int b = atomic_load_explicit(&bottom, RLX);
    atomic_store_explicit(&items[b], item, RLX);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, RLX);
}

static int take(void) {
    int b = atomic_load_explicit(&bottom, RLX) - 1;
    atomic_store_explicit(&bottom, b, RLX);
    FENCE();
    int t = atomic_load_explicit(&top, RLX);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, RLX);
        return 0;
    }
    int item = atomic_load_explicit(&items[b], RLX);
    if (t == b) {
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, SC, RLX))
            item = 0;
        atomic_store_explicit(&bottom, b + 1, RLX);
    }
    return item;
}

static int steal(void) {
    int t = atomic_load_explicit(&top, ACQ);
    FENCE();
    int b = atomic_load_explicit(&bottom, ACQ);
    if (t >= b)
        return 0;
    int item = atomic_load_explicit(&items[t], RLX);
    return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, SC, RLX) ? item : 0;
}

static void *thief(void *unused) {
    for (int k = 0; k < STEALS; k++) {
        int item = steal();
        if (item)
            check(item);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THIEVES];
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&threads[i], 0, thief, 0);
    put(1);
    put(2);
    for (int k = 0; k < 2; k++) {
        int item = take();
        if (item)
            check(item);
    }
    for (int i = 0; i < THIEVES; i++)
        pthread_join(threads[i], 0);
    return 0;
}
