// EXPECT sc:PASS tso:PASS
#include <assert.h>
int x = 3;
int main(void) {
  int old = 4, now = 9;
  __asm__ volatile("lock cmpxchgl %2,%1" : "+a"(old), "+m"(x) : "r"(now) : "memory");
  assert(old == 3 && x == 3);
  __asm__ volatile("lock cmpxchgl %2,%1" : "+a"(old), "+m"(x) : "r"(now) : "memory");
  assert(old == 3 && x == 9);
  return 0;
}
