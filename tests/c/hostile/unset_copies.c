// EXPECT sc:safety:PASS -D TO_HEAP sc:safety:FAIL -D BYTES sc:safety:FAIL -D COMPUTED sc:safety:FAIL -D LOCAL_TO_GLOBAL rc11:safety:FAIL -D CHAIN sc:safety:FAIL -D GROWN sc:safety:FAIL -D BY_VALUE sc:safety:FAIL -D OTHER_THREAD sc:safety:FAIL
/* What nobody wrote may be copied, and copied again; to look at a copy is to read it. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct entry { int key; char tag; long value; };
struct wide { long a, b, c; };
struct entry shared, other;
static long last(struct wide w) { return w.c; }
static long front(struct wide w) { return w.a; }
static void *reader(void *argument) {
    struct entry e = *(struct entry *)argument;
#ifdef OTHER_THREAD
    if (e.tag == 5) return argument;
#endif
    assert(e.key == 1);
    return 0;
}
int main(void) {
    volatile int length = sizeof(struct entry);
    struct entry *p = malloc(2 * sizeof *p), *q = malloc(sizeof *q), local, unset;
    p[1].key = 1;
    p[1].value = 2;
    *q = p[1];
    memcpy(&local, q, sizeof local);
    assert(local.key == 1 && local.value == 2);
    memmove(p, p + 1, sizeof *p);
    assert(p->key == 1);
    memcpy(q, p, length);
    assert(q->value == 2);
    unset.key = 1;
    shared = unset;
    other = shared;
    assert(other.key == 1);
    p = realloc(p, 3 * sizeof *p);
    assert(p[1].key == 1);
    struct wide w;
    w.a = 1;
    assert(front(w) == 1);
    pthread_t t;
    pthread_create(&t, 0, reader, &shared);
    pthread_join(t, 0);
#ifdef TO_HEAP
    *q = p[1];
    return q->tag == 5;
#elif defined(BYTES)
    char *bytes = malloc(2), *copy = malloc(2);
    bytes[1] = 1;
    memcpy(copy, bytes, 2);
    return copy[0] == 5;
#elif defined(COMPUTED)
    return q->tag == 5;
#elif defined(LOCAL_TO_GLOBAL)
    return shared.tag == 5;
#elif defined(CHAIN)
    *q = other;
    local = *q;
    return local.value == 5;
#elif defined(GROWN)
    return p[1].tag == 5;
#elif defined(BY_VALUE)
    return last(w) == 5;
#endif
    local.tag = 3;
    *q = local;
    assert(q->tag == 3);
    free(p);
    free(q);
    return 0;
}
