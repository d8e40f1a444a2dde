// EXPECT sc:PASS riscv:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int data, flag, seen, got;
static void put(int *p, int v) { __asm__ volatile("sw %1,%0" : "=m"(*p) : "r"(v) : "memory"); }
static int get(int *p) { int v; __asm__ volatile("lw %0,%1" : "=r"(v) : "m"(*p) : "memory"); return v; }
static void publish(int *p, int v) { __asm__ volatile("fence rw,w" ::: "memory"); put(p, v); }
static int look(int *p) { int v = get(p); __asm__ volatile("fence w,w" ::: "memory"); return v; }

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
