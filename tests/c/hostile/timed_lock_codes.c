// EXPECT sc:PASS tso:PASS
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int late;

static void *one(void *p) {
  struct timespec until = {0, 0};
  int error = pthread_mutex_timedlock(&mutex, &until);
  assert(error == 0 || error == ETIMEDOUT);
  if (error)
    late = 1;
  else
    pthread_mutex_unlock(&mutex);
  return p;
}

int main(void) {
  pthread_t t;
  pthread_mutex_lock(&mutex);
  pthread_create(&t, 0, one, 0);
  pthread_join(t, 0);
  assert(late); /* nobody let go of it meanwhile */
  pthread_mutex_unlock(&mutex);
  return 0;
}
