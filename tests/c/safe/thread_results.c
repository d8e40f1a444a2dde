// What threads return, by `return` or pthread_exit, comes with the join; threads know themselves and have data of
// their own, whose destructor runs at their end. FORGETFUL: the destructor meets a value that it does not expect.
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
pthread_t known;

void destroy(void *value) {
#ifdef FORGETFUL
    assert((long)value != 5);
#else
    assert((long)value == 5);
#endif
}

void *leaves(void *argument) {
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, (void *)5);
    if ((long)argument == 1)
        pthread_exit((void *)10);
    known = pthread_self();
    return (void *)((long)argument + 18);
}

int main(int count, char **arguments) {
    pthread_t threads[2];
    void *result;
    long sum = 0;
    assert(count == 1 && arguments[1] == 0);
    pthread_key_create(&key, destroy);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, leaves, (void *)(i + 1));
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    assert(sum == 30);
    assert(pthread_equal(known, threads[1]));
    assert(!pthread_equal(known, pthread_self()));
    return 0;
}
