// EXPECT sc:PASS tso:PASS rc11:PASS imm:FAIL aarch64:FAIL power:PASS armv7:PASS riscv:PASS -D MEMBER aarch64:FAIL power:PASS -D WEAK aarch64:FAIL riscv:PASS -D ORDERS aarch64:FAIL armv7:PASS -D TESTED aarch64:PASS imm:PASS -D DONE aarch64:FAIL riscv:PASS -D CHOSEN aarch64:PASS -D USED aarch64:PASS -D SHARED aarch64:PASS
// A compare-exchange that is one instruction has no branch that holds back later writes, but what a program does about it depends on it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed
#ifdef DONE
enum { FOUND = 0, WANTED = 7 };
#else
enum { FOUND = 5, WANTED = 7 };
#endif
#if defined ORDERS || defined TESTED
#define FIRST memory_order_acquire
#else
#define FIRST RLX
#endif

atomic_int x, y;
int seen, other, kept;
struct { int member; } shared;

static void *exchanges(void *unused) {
    struct { int before, member; } own = {0, WANTED};
    int expected = WANTED, done = 0, put = 1;
#if defined MEMBER
    done = atomic_compare_exchange_strong_explicit(&x, &own.member, 9, RLX, RLX);
    expected = own.member;
#elif defined WEAK
    done = atomic_compare_exchange_weak_explicit(&x, &expected, 9, RLX, RLX);
#elif defined SHARED
    shared.member = WANTED;
    done = atomic_compare_exchange_strong_explicit(&x, &shared.member, 9, RLX, RLX);
    expected = shared.member;
#else
    done = atomic_compare_exchange_strong_explicit(&x, &expected, 9, FIRST, RLX);
#endif
#ifdef TESTED
    if (done)
        return unused;
#endif
#ifdef CHOSEN
    if (done)
        kept = 1;
#endif
#ifdef USED
    put = expected / 5;
#endif
    atomic_store_explicit(&y, put, RLX);
    seen = expected;
    return unused;
}

static void *copies(void *unused) {
    other = atomic_load_explicit(&y, RLX);
    atomic_store_explicit(&x, other == 1 ? FOUND ? FOUND : WANTED : 0, RLX);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, exchanges, 0);
    pthread_create(&two, 0, copies, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(!(other == 1 && seen == (FOUND ? FOUND : WANTED)));
    return 0;
}
