// EXPECT sc:REFUSED
#include <assert.h>
int hidden = 3;
int main(void) {
  int v;
  __asm__ volatile("movl hidden(%%rip),%0" : "=r"(v));
  assert(v == 0);
  return 0;
}
