// EXPECT sc:PASS power:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int data, flag, seen, got;
static void put(int *p, int v) { __asm__ volatile("stw%U0%X0 %1,%0" : "=m"(*p) : "r"(v) : "memory"); }
static int get(int *p) { int v; __asm__ volatile("lwz%U1%X1 %0,%1" : "=r"(v) : "m"(*p) : "memory"); return v; }
static void publish(int *p, int v) { __asm__ volatile("lwsync" ::: "memory"); put(p, v); }
static int look(int *p) { int v; __asm__ volatile("lwz %0,%1\n cmpw %0,%0\n bne- 1f\n 1:" : "=r"(v) : "m"(*p) : "memory", "cr0"); return v; }

static void *one(void *p) { put(&data, 1); publish(&flag, 1); return p; }
static void *two(void *p) { seen = look(&flag); got = get(&data); return p; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(!seen || got);
  return 0;
}
