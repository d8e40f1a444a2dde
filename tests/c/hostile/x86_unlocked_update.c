// EXPECT sc:PASS tso:FAIL rc11:FAIL power:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int x, y, a, b;
static void put(int *p, int v) { __asm__ volatile("movl %1,%0" : "=m"(*p) : "r"(v) : "memory"); }
static int get(int *p) { int v; __asm__ volatile("movl %1,%0" : "=r"(v) : "m"(*p) : "memory"); return v; }
static void full(int *p, int v) { int z = 0; put(p, v); __asm__ volatile("orl $0,%0" : "+m"(z) : : "memory", "cc"); }

static void *one(void *p) { full(&x, 1); a = get(&y); return p; }
static void *two(void *p) { full(&y, 1); b = get(&x); return p; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a || b);
  return 0;
}
