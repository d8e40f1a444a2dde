// EXPECT sc:REFUSED
#include <assert.h>

int main(void) {
  int x = 5;
  __asm__ volatile("" : "=m"(x));
  assert(x == 5);
  return 0;
}
