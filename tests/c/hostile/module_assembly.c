// EXPECT sc:REFUSED
#include <assert.h>
__asm__("hidden: ret");
void hidden(void);

int main(void) {
  hidden();
  assert(1);
  return 0;
}
