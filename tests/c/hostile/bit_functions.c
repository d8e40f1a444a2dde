// EXPECT sc:PASS
#include <assert.h>
#include <limits.h>
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  __VERIFIER_assume(x == 0x00f01234u || x == 1 || x == 0x80000000u);
  int z = __builtin_clz(x);
  assert(x >> (31 - z) == 1);
  assert(__builtin_bswap32(__builtin_bswap32(x)) == x);
  assert((__builtin_bswap32(x) & 255) == x >> 24);
  assert(__builtin_bitreverse32(__builtin_bitreverse32(x)) == x);
  assert((__builtin_bitreverse32(x) & 1) == x >> 31);
  assert(__builtin_ctz(x) <= 31 && (x >> __builtin_ctz(x) & 1));
  assert(__builtin_popcount(x) >= 1);
  assert(__builtin_rotateleft32(x, 8) == (x << 8 | x >> 24));
  assert(__builtin_rotateright32(x, 4) == (x >> 4 | x << 28));
  assert(__builtin_ffs((int)x) == __builtin_ctz(x) + 1);
  assert(__builtin_parity(x) == (__builtin_popcount(x) & 1));
  assert(__builtin_clrsb(1) == 30);
  int y = __VERIFIER_nondet_int(), r;
  if (__builtin_sadd_overflow(y, 1, &r)) assert(y == INT_MAX); else assert(r == y + 1);
  long long p;
  assert(__builtin_smulll_overflow(LLONG_MIN, -1, &p));
  assert(__builtin_smulll_overflow(-1, LLONG_MIN, &p));
  assert(!__builtin_smulll_overflow(1L << 31, 1L << 31, &p) && p == 1L << 62);
  unsigned long long u;
  assert(__builtin_umulll_overflow(1UL << 32, 1UL << 32, &u) && u == 0);
  assert(__builtin_elementwise_add_sat(INT_MAX, y > 0 ? 1 : 0) == INT_MAX);
  assert(__builtin_elementwise_sub_sat(3u, x) <= 3);
  assert(__builtin_elementwise_max(y, -5) >= -5);
  assert(__builtin_elementwise_min(x, 7u) <= 7);
  assert(__builtin_abs(-4) == 4);
  return 0;
}
