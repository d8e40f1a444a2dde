// EXPECT sc:PASS rc11:PASS aarch64:FAIL power:FAIL imm:FAIL -D RETURNED sc:PASS aarch64:FAIL riscv:FAIL -D CHOSEN aarch64:FAIL armv7:FAIL -D SMALL aarch64:FAIL power:FAIL -D BITS aarch64:FAIL riscv:FAIL -D SAME aarch64:PASS power:PASS imm:PASS -D SAME_CHOSEN aarch64:PASS riscv:PASS -D SAME_BITS aarch64:PASS power:PASS
// Small structs go from function to function as one number, and bit-fields lie in one: what is stored depends
// on the member that it is made of, and on no other one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { int first, second; };
struct small { char first, second; short third; };

atomic_int x, y;
int seen, other, one = 1;

static int load(void) { return seen = atomic_load_explicit(&x, memory_order_relaxed); }
static struct pair pair_of(int first, int second) { return (struct pair){first, second}; }
static struct small small_of(int first, int second) { return (struct small){first, second, first}; }
static int second_of(struct pair pair) { return pair.second; }

static int computed(void) {
#if defined RETURNED
    return pair_of(load(), 1).second;
#elif defined CHOSEN
    struct pair pair = one ? pair_of(load(), 1) : pair_of(1, 2);
    return second_of(pair);
#elif defined SMALL
    struct small own = small_of(load(), 1);
    return own.second;
#elif defined BITS
    struct { unsigned first : 4, second : 4; } own = {0, 1};
    own.first = load();
    return own.second;
#elif defined SAME
    return pair_of(1, load()).second;
#elif defined SAME_CHOSEN
    struct pair pair = one ? pair_of(2, load()) : pair_of(1, 1);
    return second_of(pair);
#elif defined SAME_BITS
    struct { unsigned first : 4, second : 4; } own = {0, 1};
    own.second = load();
    return own.second;
#else
    struct pair pair = {load(), 1};
    return second_of(pair);
#endif
}

static void *computes(void *unused) {
    atomic_store_explicit(&y, computed(), memory_order_relaxed);
    return unused;
}

static void *copies(void *unused) {
    other = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, other, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, computes, 0);
    pthread_create(&second, 0, copies, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(!(seen == 1 && other == 1));
    return 0;
}
