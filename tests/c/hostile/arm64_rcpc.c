// EXPECT sc:PASS aarch64:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int x, y, a, b;
static void publish(int *p, int v) { __asm__ volatile("stlr %w1, %0" : "=Q"(*p) : "r"(v) : "memory"); }
static int look(int *p) { int v; __asm__ volatile("ldapr %w0, %1" : "=r"(v) : "Q"(*p) : "memory"); return v; }

static void *one(void *p) { publish(&x, 1); a = look(&y); return p; }
static void *two(void *p) { publish(&y, 1); b = look(&x); return p; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a || b);
  return 0;
}
