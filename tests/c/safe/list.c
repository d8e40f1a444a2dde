/* A list in allocated memory, built before and read by a thread. -DWRONG: a node is changed meanwhile. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;

static void *sum(void *unused) {
    int total = 0;
    for (struct node *at = head; at; at = at->next)
        total += at->value;
    assert(total == 6);
    return 0;
}

int main(void) {
    pthread_t other;
    for (int i = 1; i <= 3; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->value = i;
        fresh->next = head;
        head = fresh;
    }
    pthread_create(&other, 0, sum, 0);
#ifdef WRONG
    head->next->value = 0;
#endif
    pthread_join(other, 0);
    return 0;
}
