// EXPECT sc:safety:PASS -D RETURNED sc:safety:FAIL -D GIVEN sc:safety:FAIL -D OF_ARRAY sc:safety:FAIL -D STORED sc:safety:FAIL -D FROM_HEAP sc:safety:FAIL -D POINTER sc:safety:FAIL -D NESTED sc:safety:FAIL -D ATOMIC sc:safety:FAIL
/* Small structs are handed on as one number: a member that nobody set may go along, but must not be read. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
struct pair { int a, b; };
struct found { int *at; bool is; };
struct outer { struct pair x, y; };
struct pair kept = {7, 8};
_Atomic struct pair whole;
static struct pair made(void) { struct pair r; r.a = 1; return r; }
static int first(struct pair p) { return p.a; }
static int second(struct pair p) { return p.b; }
static struct found look(int *at) { struct found r; r.is = at != 0; if (at) r.at = at; return r; }
static struct outer nested(void) { struct outer r; r.x = (struct pair){1, 2}; r.y.a = 3; return r; }
int main(void) {
    int there = 3;
    struct pair p = made(), rows[2], *heap = malloc(sizeof *heap);
    for (int i = 0; i < 2; i++)
        rows[i].a = i;
    heap->a = 4;
    kept = made();
    assert(p.a == 1 && first(p) == 1 && first(rows[1]) == 1 && kept.a == 1 && first(*heap) == 4);
    assert(!look(0).is && *look(&there).at == 3);
    struct outer o = nested();
    struct pair inner = o.y;
    assert(first(inner) == 3);
    atomic_store(&whole, p);
    struct pair again = atomic_load(&whole);
    assert(again.a == 1);
#ifdef RETURNED
    assert(p.b != 5);
#elif defined(GIVEN)
    return second(p) == 5;
#elif defined(OF_ARRAY)
    return second(rows[0]) == 5;
#elif defined(STORED)
    return kept.b == 5;
#elif defined(FROM_HEAP)
    return second(*heap) == 5;
#elif defined(POINTER)
    return *look(0).at;
#elif defined(NESTED)
    return second(inner) == 5;
#elif defined(ATOMIC)
    return again.b == 5;
#endif
    free(heap);
    return 0;
}
