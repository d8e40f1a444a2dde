// EXPECT sc:safety:PASS rc11:safety:PASS -D SPIN sc:safety:FAIL -D SPIN_FREE sc:safety:FAIL -D READ sc:safety:FAIL rc11:safety:FAIL -D READ_TWICE sc:safety:FAIL -D WAIT sc:safety:FAIL rc11:safety:FAIL -D SEMAPHORE sc:safety:FAIL rc11:safety:FAIL -D DESTROYED sc:safety:FAIL -D HELD sc:safety:FAIL -D CONDITION sc:safety:FAIL rc11:safety:FAIL
/* Locks of all kinds are let go by who holds them, and not used after they were destroyed. */
#include <pthread.h>
#include <semaphore.h>

pthread_spinlock_t spin;
pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t semaphore;

void *other(void *unused)
{
#ifdef SPIN
    pthread_spin_unlock(&spin);
#endif
#ifdef READ
    pthread_rwlock_unlock(&shared);
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 1);
    if (pthread_spin_trylock(&spin) == 0 && pthread_rwlock_tryrdlock(&shared) == 0) {
        pthread_rwlock_rdlock(&shared);
        pthread_create(&thread, 0, other, 0);
        pthread_join(thread, 0);
#ifndef SPIN
        pthread_spin_unlock(&spin);
#endif
#ifndef READ
        pthread_rwlock_unlock(&shared);
#endif
        pthread_rwlock_unlock(&shared);
    }
#ifdef SPIN_FREE
    pthread_spin_unlock(&spin);
#endif
#ifdef READ_TWICE
    pthread_rwlock_unlock(&shared);
#endif
#ifdef WAIT
    pthread_cond_wait(&condition, &mutex);
#endif
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
#ifdef HELD
    pthread_rwlock_wrlock(&shared);
#endif
    sem_wait(&semaphore);
    sem_destroy(&semaphore);
    pthread_spin_destroy(&spin);
    pthread_rwlock_destroy(&shared);
    pthread_cond_destroy(&condition);
#ifdef CONDITION
    pthread_cond_signal(&condition);
#endif
#ifdef SEMAPHORE
    sem_post(&semaphore);
#endif
#ifdef DESTROYED
    pthread_rwlock_rdlock(&shared);
#endif
    return 0;
}
