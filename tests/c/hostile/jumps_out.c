// EXPECT sc:REFUSED
#include <assert.h>
#include <setjmp.h>

jmp_buf place;
int n;

int main(void) {
  if (setjmp(place) == 0) {
    n = 1;
    longjmp(place, 1);
  }
  assert(n == 0);
  return 0;
}
