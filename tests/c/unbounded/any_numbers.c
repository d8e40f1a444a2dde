// Two users of a tank open its valves for ever, in any order. The level stays between 0 and 3, and the last amount
// is one of those that may be asked for. With WRONG the level is looked at before the lock is taken.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int level, last = 1;

static void fill(int amount) {
#ifdef WRONG
    if (level + amount > 3) return;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    if (level + amount > 3) {
        pthread_mutex_unlock(&lock);
        return;
    }
#endif
    level = level + amount;
    last = amount;
    assert(level <= 3);
    pthread_mutex_unlock(&lock);
}

static void *user(void *unused) {
    while (1) {
        int wish = __VERIFIER_nondet_int();
        switch (wish) {
        case 1:
        case 2: fill(wish); break;
        case 7: fill(1 + __VERIFIER_nondet_uint() % 2); break;
        default:
            if (wish < -10) {
                pthread_mutex_lock(&lock);
                level = 0;
                assert(last == 1 || last == 2);
                pthread_mutex_unlock(&lock);
            }
        }
    }
    return unused;
}

int main(void) {
    pthread_t one;
    pthread_create(&one, 0, user, 0);
    user(0);
    return 0;
}
