// EXPECT sc:PASS
#include <assert.h>

int main(void) {
  unsigned x = 0x11223344;
  __asm__("movb $0,%b0" : "+q"(x));
  assert(x == 0x11223300);
  return 0;
}
