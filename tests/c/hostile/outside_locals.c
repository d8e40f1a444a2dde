// EXPECT sc:safety:PASS rc11:safety:PASS -D BEHIND sc:safety:FAIL rc11:safety:FAIL aarch64:safety:FAIL -D BEFORE sc:safety:FAIL -D COPIED sc:safety:FAIL -D FILLED sc:safety:FAIL -D STEPPED sc:safety:FAIL -D WIDE sc:safety:FAIL -D WIDE_COMPUTED sc:safety:FAIL -D STACK sc:safety:FAIL -D OWN sc:safety:FAIL -D OWN_STEPPED sc:safety:FAIL
// Accesses outside local variables, at offsets that the compiler knows: LLVM would leave them out.
#include <assert.h>
#include <string.h>
_Thread_local int own[4];
struct pair { int left, right; };

int main(void) {
  int a[3] = {1, 2, 3}, one = 5, *p = &one;
  char four[4], eight[8] = {0};
  struct pair pair = {1, 2};
  volatile int four_more = 4;
#if defined BEHIND
  return a[3];
#elif defined BEFORE
  return a[-1];
#elif defined COPIED
  memcpy(four, eight, 8);
#elif defined FILLED
  memset(eight, 0, 9);
#elif defined STEPPED
  p++;
  return *p;
#elif defined WIDE
  return *(long *)&pair.right;
#elif defined WIDE_COMPUTED
  char six[6] = {1, 2, 3};
  return *(int *)(six + four_more);
#elif defined STACK
  int *q = __builtin_alloca(4);
  q[0] = 1;
  q[1] = 2;
#elif defined OWN
  own[four_more] = 1;
#elif defined OWN_STEPPED
  p = own;
  p += 4;
  *p = 1;
#else
  memcpy(four, eight, 4);
  memset(eight, 1, 8);
  p = a + 3;
  p--;
  own[3] = four_more;
  assert(*p == 3 && eight[7] == 1 && own[3] == 4);
#endif
  return 0;
}
