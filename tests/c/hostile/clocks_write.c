// EXPECT sc:FAIL tso:FAIL
#include <assert.h>
#include <time.h>

time_t seconds = 7;
struct timespec now = {1, 2};

int main(void) {
  time_t told = time(&seconds);
  assert(told == seconds);
  clock_gettime(CLOCK_MONOTONIC, &now);
  assert(now.tv_sec >= 0 && now.tv_nsec >= 0 && now.tv_nsec < 1000000000);
  assert(seconds == 7 || now.tv_sec == 1); /* both were written */
  return 0;
}
