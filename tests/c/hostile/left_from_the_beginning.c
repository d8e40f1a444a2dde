// EXPECT sc:safety:PASS rc11:safety:PASS -D JOINED sc:safety:FAIL rc11:safety:FAIL -D ITSELF sc:safety:FAIL -D AGAIN sc:safety:PASS
/* A thread whose attributes say that it is detached is neither joined nor detached again. */
#include <pthread.h>

static void *thread(void *argument) {
#ifdef ITSELF
  pthread_detach(pthread_self());
#endif
  return argument;
}

int main(void) {
  pthread_t first, second;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
#ifdef AGAIN
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_JOINABLE);
#endif
  pthread_create(&first, &detached, thread, 0);
  pthread_attr_destroy(&detached);
#ifndef ITSELF
  pthread_create(&second, 0, thread, 0);
  pthread_join(second, 0);
#endif
#if defined JOINED || defined AGAIN
  pthread_join(first, 0);
#endif
  return 0;
}
