/* Functions of old C take whatever arguments they are called with: as bodies of threads, and through a table of
 * functions. The second thread overwrites what the first one wrote, or the other way round. */
#include <assert.h>
#include <pthread.h>

static int value;

void *first() {
    value = 1;
    return 0;
}

void set(number) int number; {
    value = number;
}

void forget() {
    value = 0;
}

void (*table[])() = {set, forget};

void *second(void *choice) {
    table[*(int *)choice](2, 3);
    return 0;
}

int main(void) {
    pthread_t one, two;
    int choice = CHOICE;
    pthread_create(&one, 0, (void *(*)(void *))first, 0);
    pthread_create(&two, 0, second, &choice);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(value != EXPECTED);
    return 0;
}
