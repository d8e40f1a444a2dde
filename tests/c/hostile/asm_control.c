// EXPECT sc:PASS tso:PASS
#include <assert.h>

int cells[3] = {1, 2, 3};

int main(void) {
  int n = 3, sum = 0, v = 0;
  __asm__("1: addl %0,%1; decl %0; jnz 1b" : "+r"(n), "+r"(sum) : : "cc");
  assert(n == 0 && sum == 6);
  __asm__("testl %0,%0; jz 1f; movl $9,%0; 1:" : "+r"(v) : : "cc");
  assert(v == 0);
  __asm__ volatile("movl 8(%1),%0" : "=r"(v) : "r"(cells) : "memory");
  assert(v == 3);
  __asm__ volatile("movl $7,4(%0)" : : "r"(cells) : "memory");
  assert(cells[1] == 7);
  __asm__ volatile("addl $2,%0" : "+m"(v));
  assert(v == 5);
  return 0;
}
