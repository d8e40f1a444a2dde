// EXPECT sc:PASS rc11:PASS -D WRONG sc:FAIL rc11:FAIL
#include <assert.h>
#include <pthread.h>
#include <string.h>
#ifndef WRONG
#define WRONG 0
#else
#undef WRONG
#define WRONG 1
#endif

static void *number(void *p) { return (void *)((long)p + 5); }

int main(void) {
  pthread_t threads[2];
  void *results[2] = {0, 0};
  struct {
    int before;
    void *result;
  } last = {7, 0};
  for (long i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, number, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], &results[i]);
  assert(results[0] == (void *)5 && results[1] == (void *)(6L + WRONG));
  pthread_create(&threads[0], 0, number, (void *)4);
  pthread_join(threads[0], &last.result);
  void *copy[2];
  memcpy(copy, &last, sizeof copy);
  assert(copy[1] == (void *)9);
  return 0;
}
