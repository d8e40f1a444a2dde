// EXPECT sc:safety:PASS -D ONE sc:safety:FAIL -D LAST sc:safety:FAIL -D AGAIN sc:safety:FAIL -D FIELD sc:safety:FAIL
/* Elements of large arrays, and bit-fields beside those that were set. */
#include <assert.h>
struct fields { unsigned a : 3, b : 5; int c : 29; };
int main(void) {
    int large[100], sum = 0;
    for (int i = 0; i < 99; i++)
        large[i] = i;
    for (int i = 0; i < 99; i++)
        sum += large[i];
    assert(sum == 4851);
    for (int round = 0; round < 2; round++) {
        int again[70];
        if (round == 0) again[65] = 1;
#ifdef AGAIN
        sum += again[65];
#endif
    }
    struct fields f;
    f.a = 1;
    f.c = -5;
    assert(f.a == 1 && f.c == -5);
#ifdef ONE
    int none[100];
    none[1] = 1;
    return none[70] == 5;
#elif defined(LAST)
    return large[99] == 5;
#elif defined(FIELD)
    return f.b == 5;
#endif
    return 0;
}
