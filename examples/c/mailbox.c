/* A mailbox for one letter: write the letter, then raise the flag. Right on x86; wrong where stores or loads
 * may change places, unless the flag is atomic with release and acquire (-DATOMIC). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef ATOMIC
static atomic_int flag;
#define RAISE() atomic_store_explicit(&flag, 1, memory_order_release)
#define RAISED() atomic_load_explicit(&flag, memory_order_acquire)
#else
static volatile int flag;
#define RAISE() (flag = 1)
#define RAISED() flag
#endif

static int letter;

static void *sender(void *unused) {
    letter = 42;
    RAISE();
    return 0;
}

static void *receiver(void *unused) {
    while (!RAISED())
        ;
    assert(letter == 42);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, sender, 0);
    pthread_create(&threads[1], 0, receiver, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
