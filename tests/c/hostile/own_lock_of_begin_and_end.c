// EXPECT sc:PASS tso:PASS
#include <assert.h>
#include <pthread.h>

int x, entered;

void __VERIFIER_assume(int);

/* A lock made of two atomic blocks. */
void __VERIFIER_atomic_begin(void) {
  __VERIFIER_assume(entered == 0);
  entered = 1;
}
void __VERIFIER_atomic_end(void) {
  __VERIFIER_assume(entered == 1);
  entered = 0;
}

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
