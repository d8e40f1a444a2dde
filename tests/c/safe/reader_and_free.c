/* A reader looks at a structure and says that it is done; main frees the structure.
   WAIT: main waits for the reader, so that nothing is used after it was freed. With relaxed atomics
   (ORDER=memory_order_relaxed) the wait is not enough where loads may be late, and C's own models want
   happens-before. JOIN: main joins the reader. TWICE, MIDDLE, LOCAL, NOTHING: main frees the structure twice,
   a pointer into it, a variable, and null (which is fine). */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

struct box {
    int first, second;
};

struct box *box;
atomic_int done;

void *reader(void *unused) {
    int seen = box->second;
    atomic_store_explicit(&done, 1, ORDER);
    return (void *)(long)seen;
}

int main(void) {
    pthread_t thread;
    box = malloc(sizeof *box);
    box->second = 3;
    pthread_create(&thread, 0, reader, 0);
#ifdef WAIT
    while (!atomic_load_explicit(&done, ORDER))
        ;
#endif
#ifdef JOIN
    pthread_join(thread, 0);
#endif
#ifdef MIDDLE
    free(&box->second);
#elif defined(LOCAL)
    free(&done);
#elif defined(NOTHING)
    free(0);
#else
    free(box);
#endif
#ifdef TWICE
    free(box);
#endif
#ifndef JOIN
    pthread_join(thread, 0);
#endif
    return 0;
}
