// EXPECT sc:safety:PASS rc11:safety:PASS -D LEADING sc:safety:FAIL -D TRAILING sc:safety:FAIL rc11:safety:FAIL
/* The builtins that count zeros are not defined for 0; those that find the first bit are. */
#include <assert.h>

unsigned zero, some = 0x00f0;

int main(void)
{
    assert(__builtin_clz(some) == 24 && __builtin_ctz(some) == 4);
    assert(__builtin_ffs(zero) == 0 && __builtin_ffs(some) == 5);
#ifdef LEADING
    return __builtin_clz(zero) == 32;
#endif
#ifdef TRAILING
    return __builtin_ctz(zero) == 32;
#endif
    return 0;
}
