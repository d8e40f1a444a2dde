// EXPECT sc:safety:PASS rc11:safety:PASS -D LONG sc:safety:FAIL rc11:safety:FAIL aarch64:safety:FAIL -D ONE sc:safety:FAIL -D LAST sc:safety:FAIL -D COPY sc:safety:FAIL -D ATOMIC sc:safety:REFUSED
// An access that begins inside of its object and ends behind it was taken for one to the object.
#include <assert.h>
#include <stdlib.h>

struct pair { int a; short b; };

char text[6];

int main(void) {
    *(short *)(text + 4) = 0x0102;
    assert(text[4] == 2 && text[5] == 1);
    struct pair *small = malloc(6); // all but the padding
    small->a = 1;
    small->b = 2;
    int *numbers = malloc(10);
    for (int i = 0; i < 2; i++)
        numbers[i] = i;
    assert(numbers[1] == 1 && small->b == 2);
#ifdef LONG
    long *one = malloc(4);
    *one = 1;
#endif
#ifdef ONE
    *(short *)(text + 5) = 1;
#endif
#ifdef LAST
    for (int i = 0; i < 3; i++)
        numbers[i] = i;
#endif
#ifdef COPY
    struct pair whole = *small;
    assert(whole.a == 1);
#endif
#ifdef ATOMIC
    __atomic_store_n((int *)(text + 4), 1, __ATOMIC_SEQ_CST);
#endif
    return 0;
}
