// EXPECT sc:PASS
#include <assert.h>

int main(void) {
  int a = 3, z;
  __asm__("cmpl $3,%1" : "=@ccz"(z) : "r"(a));
  assert(z);
  __asm__("cmpl $4,%1" : "=@ccl"(z) : "r"(a));
  assert(z == 1);
  return 0;
}
