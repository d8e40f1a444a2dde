/* Two accounts, each with a mutex. One thread locks the first account first, the other the second. */
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int mine = 100, yours = 100;

static void move(int amount) {
    mine -= amount;
    yours += amount;
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
}

static void *deposit(void *unused) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    move(10);
    return 0;
}

static void *withdraw(void *unused) {
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    move(-10);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, deposit, 0);
    pthread_create(&other, 0, withdraw, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
