// EXPECT sc:FAIL
#include <assert.h>

int main(void) {
  int a;
  __asm__ volatile("" : "=r"(a));
  assert(a == 0);
  return 0;
}
