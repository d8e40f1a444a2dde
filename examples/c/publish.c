// A writer fills a structure and publishes it; a reader that finds it looks inside.
// HASTY: the writer publishes with an ordinary write, which may overtake the contents.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

struct item {
    int value;
};

struct item item;
struct item *published;

void *writer(void *unused) {
    WRITE_ONCE(item.value, 42);
#ifdef HASTY
    WRITE_ONCE(published, &item);
#else
    rcu_assign_pointer(published, &item);
#endif
    return 0;
}

void *reader(void *unused) {
    struct item *found = rcu_dereference(published);
    if (found) {
        int seen = READ_ONCE(found->value);
        assert(seen == 42);
    }
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, writer, 0);
    pthread_create(&second, 0, reader, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
