// EXPECT sc:PASS tso:PASS rc11:PASS power:PASS
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int x, y, a, b;
static void put(int *p, int v) { __asm__ volatile("movl %1,%0" : "=m"(*p) : "r"(v) : "memory"); }
static int get(int *p) { int v; __asm__ volatile("movl %1,%0" : "=r"(v) : "m"(*p) : "memory"); return v; }
static void swap(int *p, int v) { __asm__ volatile("xchgl %0,%1" : "+r"(v), "+m"(*p) : : "memory"); }

static void *one(void *p) { swap(&x, 1); a = get(&y); return p; }
static void *two(void *p) { swap(&y, 1); b = get(&x); return p; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a || b);
  return 0;
}
