// EXPECT sc:PASS c11:PASS c11:safety:FAIL rc11:safety:FAIL rc11:valid-deref:FAIL -D WRONG c11:FAIL rc11:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *object;

static void *use(void *p) {
  int value = *object; /* may be freed, which is no assertion */
#ifdef WRONG
  assert(value != 1);
#endif
  return p;
}

static void *end(void *p) {
  free(object);
  return p;
}

int main(void) {
  pthread_t a, b;
  object = malloc(sizeof *object);
  *object = 1;
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, end, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
