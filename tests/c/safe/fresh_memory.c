/* Fresh memory holds any number until it is written. Here a record is filled, copied and published; its second
   member is never written, which does no harm as long as nobody depends on it.
   TRUSTING: somebody does. ZEROED: calloc fills it with zeros. EARLY: the record is published before it is filled,
   and a thread may read what was there before. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct record {
    int value, spare;
};

_Atomic(struct record *) published;

void *reader(void *unused) {
    struct record *record = atomic_load(&published);
    if (record)
        assert(record->value == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
#ifdef ZEROED
    struct record *record = calloc(1, sizeof *record);
#else
    struct record *record = malloc(sizeof *record);
#endif
    struct record *copy = malloc(sizeof *copy);
    pthread_create(&thread, 0, reader, 0);
#ifdef EARLY
    atomic_store(&published, record);
    record->value = 1;
#else
    record->value = 1;
    atomic_store(&published, record);
#endif
    *copy = *record;
    assert(copy->value == 1);
#ifdef TRUSTING
    assert(copy->spare == 0);
#endif
    pthread_join(thread, 0);
    return 0;
}
