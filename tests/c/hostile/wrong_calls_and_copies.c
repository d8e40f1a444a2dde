// EXPECT sc:safety:PASS rc11:safety:PASS -D DATA sc:safety:FAIL -D POINTER sc:safety:FAIL rc11:safety:FAIL -D FEW sc:safety:FAIL -D FEW_BY_POINTER sc:safety:FAIL -D OVERLAP sc:safety:FAIL -D OVERLAP_ON_HEAP sc:safety:FAIL rc11:safety:FAIL -D OVERLAP_BY_SO_MUCH sc:safety:FAIL -D CONSTANT sc:safety:FAIL -D STRING sc:safety:FAIL -D KEPT sc:safety:FAIL rc11:safety:FAIL -D ONE_OF_MANY sc:safety:FAIL
/* Calls of what is no function, or one that takes more; copies that overlap; writes to constants. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int number, which = 1, many = 4;
const int constant = 5;
char text[8] = "abcdefg", *kept = "kept";
const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
struct five { int a, b, c, d, e; } five = { 1, 2, 3, 4, 5 };
struct five *one = &five, *same = &five;

long two(long a, long b) { return a + b; }
int none(void) { return 1; }
int (*pointer)(void) = none;

int main(void)
{
    char *heap = malloc(8), *string = "abc";
    memset(heap, 1, 8);
    memcpy(heap + 4, heap, many);
    *one = *same;
    assert(pointer() == 1 && heap[7] == 1 && five.e == 5 && string[1] == 'b' && constant == 5);
    assert(names[many][0] == 'e');
#ifdef DATA
    ((void (*)(void))&number)();
#endif
#ifdef POINTER
    pointer = which ? (int (*)(void))heap : none;
    pointer();
#endif
#ifdef FEW
    ((int (*)(void))two)();
#endif
#ifdef FEW_BY_POINTER
    pointer = which ? (int (*)(void))two : none;
    pointer();
#endif
#ifdef OVERLAP
    memcpy(text + 1, text, 4);
#endif
#ifdef OVERLAP_ON_HEAP
    memcpy(heap + 2, heap, 4);
#endif
#ifdef OVERLAP_BY_SO_MUCH
    memcpy(heap, heap + 3, many);
#endif
#ifdef CONSTANT
    *(int *)&constant = 6;
#endif
#ifdef STRING
    string[0] = 'x';
#endif
#ifdef ONE_OF_MANY
    *(char *)names[many] = 'x';
#endif
    kept = which ? kept : text;
#ifdef KEPT
    kept[1] = 'x';
#endif
    free(heap);
    return 0;
}
