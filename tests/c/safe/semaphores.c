// Two buffers of one place between a producer and a consumer, with semaphores. UNCOUNTED: too many free places.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t places, items;
int buffer;

void *produce(void *unused) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&places);
        buffer = i;
        sem_post(&items);
    }
    return 0;
}

int main(void) {
    pthread_t producer;
#ifdef UNCOUNTED
    sem_init(&places, 0, 2);
#else
    sem_init(&places, 0, 1);
#endif
    sem_init(&items, 0, 0);
    pthread_create(&producer, 0, produce, 0);
    for (int i = 1; i <= 2; i++) {
        sem_wait(&items);
        assert(buffer == i);
        sem_post(&places);
    }
    pthread_join(producer, 0);
    return 0;
}
