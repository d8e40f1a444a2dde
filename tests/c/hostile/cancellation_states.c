// EXPECT sc:PASS rc11:PASS -D WRITTEN sc:FAIL rc11:FAIL
#include <assert.h>
#include <pthread.h>

int before = 5;

int main(void) {
  int other;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &other);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
  pthread_setcancelstate(other, 0);
  assert(other == PTHREAD_CANCEL_ENABLE || other == PTHREAD_CANCEL_DISABLE);
#ifdef WRITTEN
  assert(before == 5);
#endif
  return 0;
}
