/* A recursive mutex can be locked again by the thread that holds it, and is free when it was unlocked as often.
   EARLY: the inner function unlocks once too often, so that others get in. CHECKING: a mutex that checks for errors
   tells its owner who locks it again, and others who unlock it. */

#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex;
int total;

void add(int amount) {
    pthread_mutex_lock(&mutex);
    total = total + amount;
    pthread_mutex_unlock(&mutex);
#ifdef EARLY
    pthread_mutex_unlock(&mutex);
#endif
}

void *twice(void *unused) {
    pthread_mutex_lock(&mutex);
    int before = total;
    add(1);
    add(1);
    assert(total == before + 2);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int refused;

void *intruder(void *unused) {
    refused = pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef CHECKING
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) != 0);
    pthread_create(&one, 0, intruder, 0);
    pthread_join(one, 0);
    assert(refused);
    assert(pthread_mutex_trylock(&mutex) != 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == 0);
#else
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&one, 0, twice, 0);
    pthread_create(&two, 0, twice, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(total == 4);
#endif
    return 0;
}
