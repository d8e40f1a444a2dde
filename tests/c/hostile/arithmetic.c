// EXPECT sc:safety:PASS rc11:safety:PASS -D LEAST sc:safety:FAIL rc11:safety:FAIL -D REMAINDER sc:safety:FAIL -D WIDE sc:safety:FAIL -D NEGATIVE sc:safety:FAIL -D ANY sc:safety:FAIL
// Divisions and shifts that have no result.
#include <assert.h>
#include <limits.h>
extern int __VERIFIER_nondet_int(void);
int minus = -1, width = 32;
long least = LONG_MIN;

int main(void) {
  int any = __VERIFIER_nondet_int(), by = __VERIFIER_nondet_int();
#if defined LEAST
  return INT_MIN / minus;
#elif defined REMAINDER
  return least % -1;
#elif defined WIDE
  return 1 << width;
#elif defined NEGATIVE
  return 1u >> minus;
#elif defined ANY
  return by ? any / by : 0;
#else
  assert(INT_MAX / minus == -INT_MAX && INT_MIN % 3 == -2 && 0x80000000u / (unsigned)minus == 0);
  assert(1L << width == 4294967296 && (unsigned)any << (width - 1 & 31) >> 31 == ((unsigned)any & 1));
  return by > 0 ? any / by : 0;
#endif
}
