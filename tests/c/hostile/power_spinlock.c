// EXPECT sc:PASS power:PASS
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int word, count;
static void take(int *p) { int o; __asm__ volatile("1: lwarx %0,0,%1\n cmpwi 0,%0,0\n bne- 1b\n stwcx. %2,0,%1\n bne- 1b\n isync" : "=&r"(o) : "r"(p), "r"(1) : "cr0", "memory"); }
static void leave(int *p) { __asm__ volatile("lwsync\n stw%U0%X0 %1,%0" : "=m"(*p) : "r"(0) : "memory"); }

static void *one(void *p) { take(&word); count++; leave(&word); return p; }
static void *two(void *p) { take(&word); count++; leave(&word); return p; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(count == 2);
  return 0;
}
