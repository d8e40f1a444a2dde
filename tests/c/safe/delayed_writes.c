// Store buffering where the buffers are part of the program: every access is an atomic block that may leave a write in
// a slot, take it out, or look into it, and a counter tells when all are done. FENCES: slots are emptied in between.
#include <pthread.h>

extern void abort(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_error(void);

struct slot {
    _Bool used;
    int value;
};

int x, y, seen_by_first, seen_by_second, done;
struct slot slot_x, slot_y;

#define WRITE(variable, number)                                                                   \
    __VERIFIER_atomic_begin();                                                                    \
    slot_##variable.value = number;                                                               \
    slot_##variable.used = 1;                                                                     \
    variable = __VERIFIER_nondet_bool() ? (slot_##variable.used = 0, number) : variable;          \
    __VERIFIER_atomic_end();
#define EMPTY(variable)                                                                           \
    __VERIFIER_atomic_begin();                                                                    \
    variable = slot_##variable.used ? slot_##variable.value : variable;                           \
    slot_##variable.used = 0;                                                                     \
    __VERIFIER_atomic_end();
#define READ(result, variable)                                                                    \
    __VERIFIER_atomic_begin();                                                                    \
    result = variable;                                                                            \
    __VERIFIER_atomic_end();
#define FINISH                                                                                    \
    __VERIFIER_atomic_begin();                                                                    \
    done = done + 1;                                                                              \
    __VERIFIER_atomic_end();

void *first(void *unused) {
    WRITE(x, 1)
#ifdef FENCES
    EMPTY(x)
#endif
    READ(seen_by_first, y)
    EMPTY(x)
    FINISH
    return 0;
}

void *second(void *unused) {
    WRITE(y, 1)
#ifdef FENCES
    EMPTY(y)
#endif
    READ(seen_by_second, x)
    EMPTY(y)
    FINISH
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    __VERIFIER_atomic_begin();
    _Bool all = done == 2;
    __VERIFIER_atomic_end();
    if (!all)
        abort();
    if (!seen_by_first && !seen_by_second)
        __VERIFIER_error();
    return 0;
}
