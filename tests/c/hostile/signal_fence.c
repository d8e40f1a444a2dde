// EXPECT sc:PASS tso:FAIL rc11:FAIL power:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int left, right;
int first, second;

static void *one(void *p) {
  atomic_store_explicit(&left, 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst); /* orders this thread and its signal handlers only */
  first = atomic_load_explicit(&right, memory_order_relaxed);
  return p;
}

static void *two(void *p) {
  atomic_store_explicit(&right, 1, memory_order_relaxed);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  second = atomic_load_explicit(&left, memory_order_relaxed);
  return p;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(first || second);
  return 0;
}
