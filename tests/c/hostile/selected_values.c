// EXPECT power:PASS armv7:PASS riscv:PASS imm:PASS aarch64:PASS rc11:PASS -D COMPARED power:PASS imm:PASS aarch64:PASS -D BRANCH power:PASS imm:PASS -D READ power:FAIL aarch64:FAIL
/* What is selected by a value that was read depends on it, as if there was a branch: a write waits for it, a
   read does not. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define LOAD(x) atomic_load_explicit(&x, memory_order_relaxed)
#define STORE(x, value) atomic_store_explicit(&x, value, memory_order_relaxed)
atomic_int x, y;
int seen[2];

#if defined COMPARED
static void write(atomic_int *place, int number) {
  int expected = number - 1;
  __atomic_compare_exchange_n((int *)place, &expected, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#elif defined BRANCH
static void write(atomic_int *place, int number) {
  int chosen = number ? 1 : 0;
  if (chosen) STORE(*place, 1);
}
#else
static void write(atomic_int *place, int number) { STORE(*place, number == 1 ? 1 : 0); }
#endif

#ifdef READ
static atomic_int *const both[2] = {&x, &x};
static void *one(void *unused) {
  STORE(x, 1);
  atomic_thread_fence(memory_order_seq_cst);
  STORE(y, 1);
  return unused;
}
static void *two(void *unused) {
  seen[0] = LOAD(y);
  seen[1] = !LOAD(*both[seen[0] ? 1 : 0]);
  return unused;
}
#else
static void *one(void *unused) {
  int number = LOAD(x);
  write(&y, number);
  seen[0] = number;
  return unused;
}
static void *two(void *unused) {
  int number = LOAD(y);
  write(&x, number);
  seen[1] = number;
  return unused;
}
#endif

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!(seen[0] && seen[1]));
  return 0;
}
