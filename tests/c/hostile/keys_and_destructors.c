// EXPECT sc:PASS sc:valid-memsafety:PASS -D WRONG_KEYS sc:FAIL -D WRONG_ROUNDS sc:FAIL -D WRONG_VALUE sc:FAIL -D LEAK sc:valid-memsafety:FAIL
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#ifdef WRONG_KEYS
#define KEYS 2
#else
#define KEYS 1
#endif
#ifdef WRONG_ROUNDS
#define ROUNDS 1
#else
#define ROUNDS 2
#endif
#ifdef LEAK
#define RELEASE 0
#else
#define RELEASE free
#endif

pthread_key_t two[2], again, heap;
int rounds;

static void once_more(void *p) {
#ifdef WRONG_VALUE
  assert(pthread_getspecific(again) == p);
#else
  assert(pthread_getspecific(again) == 0);
#endif
  if (++rounds < 2)
    pthread_setspecific(again, p);
}

static void *one(void *p) {
  pthread_setspecific(again, &rounds);
  pthread_setspecific(heap, malloc(4));
  return p;
}

int main(void) {
  pthread_t t;
  for (int i = 0; i < 2; i++)
    pthread_key_create(&two[i], 0);
  pthread_key_create(&again, once_more);
  pthread_key_create(&heap, RELEASE);
  pthread_setspecific(two[0], (void *)1);
  pthread_setspecific(two[1], (void *)2);
  assert(pthread_getspecific(two[0]) == (void *)KEYS);
  pthread_create(&t, 0, one, 0);
  pthread_join(t, 0);
  assert(rounds == ROUNDS);
  return 0;
}
