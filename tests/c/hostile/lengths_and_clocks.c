// EXPECT sc:PASS -D LENGTH sc:REFUSED -D LATER sc:FAIL -D REAL sc:FAIL
#include <assert.h>
#include <stdio.h>
#include <time.h>
extern int __VERIFIER_nondet_int(void);
#ifdef REAL
#define CLOCK CLOCK_REALTIME
#else
#define CLOCK CLOCK_MONOTONIC
#endif

int main(void) {
  struct timespec a, b;
  clock_gettime(CLOCK, &a);
  clock_gettime(CLOCK, &b);
  assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
#ifdef LATER
  assert(b.tv_nsec != a.tv_nsec);
#endif
#ifdef LENGTH
  char text[12];
  int x = __VERIFIER_nondet_int();
  int n = x > 0 ? snprintf(text, sizeof text, "%d", x) : 1;
  assert(n == 0); /* the result comes through the branch */
#endif
  return 0;
}
