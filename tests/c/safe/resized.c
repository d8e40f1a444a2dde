/* An array that grows. SMALLER: it is cut, and then read where it no longer is. STALE: the old pointer is used. */

#include <assert.h>
#include <stdlib.h>

int room = 2;

int main(void) {
    int *numbers = malloc(2 * sizeof *numbers);
    numbers[0] = 1;
    numbers[1] = 2;
    int *more = realloc(numbers, 4 * sizeof *more);
    more[2] = more[0] + more[1];
    assert(more[2] == 3);
#ifdef STALE
    numbers[0] = 5;
#endif
    room += 3;
    int *most = realloc(more, room * sizeof *most);
    most[4] = most[2] + most[1];
    assert(most[4] == 5);
#ifdef SMALLER
    int *less = realloc(most, 2 * sizeof *less);
    assert(less[2] == 3);
    free(less);
#else
    free(most);
#endif
    return 0;
}
