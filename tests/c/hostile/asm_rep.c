// EXPECT sc:REFUSED
#include <assert.h>

int main(void) {
  char b[4] = "abc", c[4]; char *d = c, *s = b; long n = 4;
  __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
  assert(c[0]);
  return 0;
}
