// EXPECT sc:PASS aarch64:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int x, y, a, b;
static void put(int *p, int v) { __asm__ volatile("str %w1, %0" : "=Q"(*p) : "r"(v) : "memory"); }
static int get(int *p) { int v; __asm__ volatile("ldr %w0, %1" : "=r"(v) : "Q"(*p) : "memory"); return v; }
static void swap(int *p, int v) { int o, f; __asm__ volatile("1: ldaxr %w0, %2\n stlxr %w1, %w3, %2\n cbnz %w1, 1b" : "=&r"(o), "=&r"(f), "+Q"(*p) : "r"(v) : "memory"); }

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
