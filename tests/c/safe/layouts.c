// Structs by value, unions, bit-fields, strings, arrays at computed indices, checked arithmetic. OUTSIDE: an index
// may be one too large.
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

union word {
    int whole;
    unsigned char bytes[4];
};
struct pair {
    int left, right;
};
struct record {
    struct record *next;
    int number;
    char name[8];
    unsigned kind : 3, colour : 5;
};

struct record stored;

static struct pair swap(struct pair given) {
    struct pair swapped = {given.right, given.left};
    return swapped;
}

int main(void) {
    volatile union word word;
    word.whole = 0x01020304;
    assert(word.bytes[0] == 4 && word.bytes[3] == 1);

    struct pair pair = swap((struct pair){1, 2});
    assert(pair.left == 2 && pair.right == 1);

    struct record *record = malloc(sizeof *record);
    memset(record, 0, sizeof *record);
    strcpy(record->name, "abc");
    record->kind = 5;
    record->colour = 17;
    stored = *record;
    assert(strlen(stored.name) == 3 && strcmp(stored.name, "abc") == 0 && !stored.next);
    assert(stored.kind == 5 && stored.colour == 17);

    int table[4] = {0, 10, 20, 30}, sum;
    int index = __VERIFIER_nondet_int();
#ifdef OUTSIDE
    __VERIFIER_assume(0 <= index && index <= 4);
#else
    __VERIFIER_assume(0 <= index && index < 4);
#endif
    table[index] += 1;
    assert(table[index] == 10 * index + 1);
    assert(__builtin_add_overflow(INT_MAX, index + 1, &sum) && __builtin_popcount(index) <= 2);
    return 0;
}
