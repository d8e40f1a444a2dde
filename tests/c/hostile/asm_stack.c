// EXPECT sc:REFUSED
#include <assert.h>

int main(void) {
  unsigned long sp;
  __asm__("movq %%rsp,%0" : "=r"(sp));
  assert(sp);
  return 0;
}
