// EXPECT sc:safety:PASS rc11:safety:PASS -D BEHIND sc:safety:FAIL rc11:safety:FAIL aarch64:safety:FAIL sc:PASS sc:valid-deref:PASS -D NEGATIVE sc:safety:FAIL -D ROW sc:safety:FAIL -D OWN sc:safety:FAIL -D ELEMENT sc:safety:FAIL
// Indices that leave an array inside of a struct or of another array, and pointers that may.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct ring { atomic_int next; int slots[2]; int guard; } ring;
struct text { int length; char first[1]; };
struct part { int kind; char name[2]; };
struct whole { struct part parts[2]; int count; } whole;
int rows[3][4];

static int of(struct whole *w, int part, int at) { return w->parts[part].name[at]; }

int main(void) {
    int number = 2, sum = 0;
    struct text *text = malloc(sizeof *text + 4); // longer than it is declared
    for (text->length = 0; text->length < 3; text->length++)
        text->first[text->length] = 'a';
    assert(text->first[2] == 'a');
    for (int *p = ring.slots, *end = &ring.slots[number]; p != end; p++)
        *p = 1;
    for (int *p = &rows[0][0]; p < &rows[3][0]; p++)
        *p = 2;
    for (int i = 0; i < 12; i++)
        sum += (&rows[0][0])[i];
    assert(sum == 24 && of(&whole, 1, 1) == 0);
#if defined BEHIND
    ring.slots[number] = 1;
#elif defined NEGATIVE
    ring.slots[number - 3] = 1;
#elif defined ROW
    return rows[0][number + 2];
#elif defined OWN
    struct ring own = {1, {2, 3}, 4};
    return own.slots[number];
#elif defined ELEMENT
    return of(&whole, number, 0);
#endif
    return 0;
}
