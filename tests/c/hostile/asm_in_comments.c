// EXPECT sc:PASS tso:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *one(void *p) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  __asm__ volatile("# mfence" ::: "memory");
  a = atomic_load_explicit(&y, memory_order_relaxed);
  return p;
}

static void *two(void *p) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  __asm__ volatile("/* lock addl */ nop" ::: "memory");
  b = atomic_load_explicit(&x, memory_order_relaxed);
  return p;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a || b);
  return 0;
}
