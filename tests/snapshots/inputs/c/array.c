/* An index that another thread chooses, into an array of structures on the heap. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct cell {
    int key, value;
};

static struct cell *cells;
static volatile int chosen;

static void *chooser(void *unused) {
    chosen = 1;
    return 0;
}

static void *writer(void *unused) {
    int i = chosen;
    cells[i].value = cells[i].key + 10;
    return 0;
}

int main(void) {
    pthread_t one, two;
    cells = calloc(2, sizeof *cells);
    cells[1].key = 1;
    pthread_create(&one, 0, chooser, 0);
    pthread_create(&two, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(cells[0].value + cells[1].value >= 10);
#ifdef WRONG
    assert(cells[0].value == 10);
#endif
    return 0;
}
