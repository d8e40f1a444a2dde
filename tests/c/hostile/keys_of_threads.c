// EXPECT sc:PASS -D WRONG sc:FAIL -D CHOSEN sc:REFUSED
#include <assert.h>
#include <pthread.h>

pthread_key_t keys[2];
int ended;
static void end(void *p) { ended++; }
static void (*chosen)(void *) = end;

static void *make(void *p) {
#ifdef CHOSEN
  pthread_key_create(p, chosen);
#else
  pthread_key_create(p, end);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, make, &keys[0]);
  pthread_create(&b, 0, make, &keys[1]);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_setspecific(keys[0], &a);
  assert(pthread_getspecific(keys[1]) == 0);
#ifdef WRONG
  assert(keys[0] == keys[1]);
#endif
  return 0;
}
