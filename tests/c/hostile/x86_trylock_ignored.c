// EXPECT sc:FAIL tso:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int word, count;
static void take(int *p) { unsigned char ok; __asm__ volatile("lock; cmpxchgl %3,%0; sete %1" : "+m"(*p), "=q"(ok) : "a"(0), "r"(1) : "memory", "cc"); }
static void leave(int *p) { __asm__ volatile("movl $0,%0" : "=m"(*p) : : "memory"); }

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
