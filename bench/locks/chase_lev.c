/* D. Chase, Y. Lev, Dynamic circular work-stealing deque, SPAA 2005; with the orders of N. Le, A. Pop, A. Cohen, F.
   Zappa Nardelli, Correct and efficient work-stealing for weak memory models, PPoPP 2013. An owner, two thieves. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define SIZE 4

static atomic_int top, bottom, items[SIZE], taken[3];

static void push(int item)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b % SIZE], item, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int pop(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int t = atomic_load_explicit(&top, memory_order_relaxed), item = 0;
    if (t <= b) {
        item = atomic_load_explicit(&items[b % SIZE], memory_order_relaxed);
        if (t < b)
            return item;
        if (!atomic_compare_exchange_strong_explicit(
                &top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
            item = 0;
    }
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return item;
}

static int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return 0;
    int item = atomic_load_explicit(&items[t % SIZE], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(
            &top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
        return 0;
    return item;
}

static void use(int item)
{
    if (item != 0)
        assert(atomic_fetch_add_explicit(&taken[item], 1, memory_order_relaxed) == 0);
}

static void *own(void *argument)
{
    (void)argument;
    push(1);
    push(2);
    use(pop());
    use(pop());
    return NULL;
}

static void *thieve(void *argument)
{
    (void)argument;
    use(steal());
    return NULL;
}

int main(void)
{
    pthread_t owner, one, two;
    pthread_create(&owner, NULL, own, NULL);
    pthread_create(&one, NULL, thieve, NULL);
    pthread_create(&two, NULL, thieve, NULL);
    pthread_join(owner, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
