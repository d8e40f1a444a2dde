// EXPECT sc:FAIL tso:FAIL
#include <assert.h>
int x;
void *up(void *p) { x = x + 1; return 0; }
void __CPROVER_assume(int); void __CPROVER_assert(int, const char *); void __CPROVER_atomic_begin(void); void __CPROVER_atomic_end(void);
int main(void) {
__CPROVER_ASYNC_1: up(0);
__CPROVER_ASYNC_2: up(0);
  __CPROVER_assume(x);
  __CPROVER_assert(x != 2, "two");
  return 0;
}
