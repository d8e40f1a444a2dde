// EXPECT sc:FAIL tso:FAIL
#include <assert.h>
#include <pthread.h>

int x, entered;

/* The program's own: each is one atomic block, and nothing keeps what is between them together. */
void __VERIFIER_atomic_begin(void) { entered = entered + 1; }
void __VERIFIER_atomic_end(void) { entered = entered - 1; }

static void *one(void *p) {
  __VERIFIER_atomic_begin();
  int seen = x;
  x = seen + 1;
  __VERIFIER_atomic_end();
  return p;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, one, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(entered == 0);
  assert(x == 2);
  return 0;
}
