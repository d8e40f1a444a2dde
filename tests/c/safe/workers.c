// Workers whose number is a variable: thread ids in an array of that size, arguments in structs on the heap, work
// handed out by an atomic function. UNLOCKED: the function that adds is not atomic.
#include <pthread.h>
#include <stdlib.h>

extern void abort(void);
void reach_error(void) {}

struct task {
    int first, step;
    int *total;
};

int workers = 2;
int total, handed_out;

#ifdef UNLOCKED
#define add add_somehow
#else
#define add __VERIFIER_atomic_add
#endif

void add(int *target, int amount) { *target = *target + amount; }

void *work(void *argument) {
    struct task *task = argument;
    for (int i = 0; i < 2; i++)
        add(task->total, task->first + i * task->step);
    add(&handed_out, 1);
    free(task);
    return 0;
}

int main(void) {
    pthread_t ids[workers];
    for (int i = 0; i < workers; i++) {
        struct task *task = malloc(sizeof *task);
        *task = (struct task){.first = i, .step = 3, .total = &total};
        if (pthread_create(&ids[i], 0, work, task) != 0)
            abort();
    }
    for (int i = 0; i < workers; i++)
        pthread_join(ids[i], 0);
    if (handed_out != workers || total != 8) {
        reach_error();
        abort();
    }
    return 0;
}
