// EXPECT sc:PASS armv7:PASS
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int word, count;
static void take(int *p) { int o; __asm__ volatile("1: ldrex %0,[%1]\n teq %0,#0\n bne 1b\n strex %0,%2,[%1]\n teq %0,#0\n bne 1b\n dmb" : "=&r"(o) : "r"(p), "r"(1) : "cc", "memory"); }
static void leave(int *p) { __asm__ volatile("dmb\n str %1,[%0]" :: "r"(p), "r"(0) : "memory"); }

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
