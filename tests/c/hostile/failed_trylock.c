// EXPECT rc11:race:FAIL imm:race:FAIL aarch64:FAIL power:FAIL sc:PASS tso:PASS -D TAKEN rc11:race:PASS imm:race:PASS aarch64:PASS power:PASS -D READERS rc11:race:FAIL riscv:FAIL -D SEMAPHORE rc11:race:FAIL aarch64:FAIL -D SEMAPHORE_TAKEN rc11:race:PASS aarch64:PASS -D VALUE rc11:race:FAIL power:FAIL
// That a lock was not free tells nothing of what its holder did: POSIX does not say that calls which fail, or
// ask for the value of a semaphore, synchronise memory.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
sem_t semaphore;
int data;

static void *writes(void *unused) {
#if defined READERS
    data = 1;
    pthread_rwlock_wrlock(&lock);
#elif defined SEMAPHORE
    data = 1;
    sem_wait(&semaphore);
#elif defined SEMAPHORE_TAKEN || defined VALUE
    data = 1;
    sem_post(&semaphore);
#elif defined TAKEN
    pthread_mutex_lock(&mutex);
    data = 1;
    pthread_mutex_unlock(&mutex);
#else
    data = 1;
    pthread_mutex_lock(&mutex);
#endif
    return unused;
}

static void *looks(void *unused) {
#if defined READERS
    if (pthread_rwlock_tryrdlock(&lock))
        assert(data == 1);
#elif defined SEMAPHORE
    if (sem_trywait(&semaphore))
        assert(data == 1);
#elif defined SEMAPHORE_TAKEN
    if (!sem_trywait(&semaphore))
        assert(data == 1);
#elif defined VALUE
    int value;
    sem_getvalue(&semaphore, &value);
    if (value)
        assert(data == 1);
#elif defined TAKEN
    if (!pthread_mutex_trylock(&mutex)) {
        int first = data;
        pthread_mutex_unlock(&mutex);
        assert(first == 0 || first == 1);
    }
#else
    if (pthread_mutex_trylock(&mutex))
        assert(data == 1);
#endif
    return unused;
}

int main(void) {
    pthread_t one, two;
#ifdef SEMAPHORE
    sem_init(&semaphore, 0, 1);
#else
    sem_init(&semaphore, 0, 0);
#endif
    pthread_create(&one, 0, writes, 0);
    pthread_create(&two, 0, looks, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
