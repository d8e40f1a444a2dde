// EXPECT sc:FAIL tso:FAIL rc11:FAIL
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int done;

static void *worker(void *p) {
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&mutex);
  return p;
}

int main(void) {
  pthread_t t;
  struct timespec until;
  int error = 0;
  pthread_create(&t, 0, worker, 0);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  pthread_mutex_lock(&mutex);
  while (!done && error == 0) error = pthread_cond_timedwait(&ready, &mutex, &until);
  assert(done); /* not if the second was over before */
  pthread_mutex_unlock(&mutex);
  pthread_join(t, 0);
  return 0;
}
