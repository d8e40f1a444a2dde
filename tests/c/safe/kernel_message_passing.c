// The Linux kernel's message passing: data, then a flag, then who sees the flag reads the data.
// WRITER 1: store-release, 2: a write barrier; READER 1: load-acquire, 2: a read barrier, 3: by a pointer.
// Ordering on both sides is needed, and enough; an address dependency orders the reader.
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

#ifndef WRITER
#define WRITER 0
#endif
#ifndef READER
#define READER 0
#endif

int data;
int *pointer;
int seen, value;

void *writer(void *unused) {
    WRITE_ONCE(data, 42);
#if WRITER == 1
    rcu_assign_pointer(pointer, &data);
#else
#if WRITER == 2
    smp_wmb();
#endif
    WRITE_ONCE(pointer, &data);
#endif
    return 0;
}

void *reader(void *unused) {
#if READER == 1
    int *found = smp_load_acquire(&pointer);
#else
    int *found = rcu_dereference(pointer);
#endif
#if READER == 2
    smp_rmb();
#endif
    if (found) {
        seen = 1;
#if READER == 3
        value = READ_ONCE(*found);
#else
        value = READ_ONCE(data);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, writer, 0);
    pthread_create(&second, 0, reader, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(!seen || value == 42);
    return 0;
}
