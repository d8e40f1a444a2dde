// EXPECT sc:PASS -D EAGAIN_LATE sc:FAIL -D LOST sc:FAIL -D RANGE sc:FAIL -D SORTED sc:FAIL -D ELSEWHERE sc:FAIL
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef EAGAIN_LATE
#define LATE EAGAIN
#else
#define LATE ETIMEDOUT
#endif

extern int somewhere(void);
sem_t empty;
int numbers[3] = {3, 1, 2};
int letter = 'q';

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *one(void *p) {
  errno = 7; /* each thread has its own */
  return p;
}

int main(void) {
  pthread_t t;
  struct timespec until = {0, 0};
  char *end;
  assert(errno == 0);
  assert(sem_trywait(&empty) == -1 && errno == EAGAIN);
  assert(sem_timedwait(&empty, &until) == -1 && errno == LATE);
  pthread_create(&t, 0, one, 0);
  pthread_join(t, 0);
#ifdef LOST
  assert(errno == 7);
#endif
  errno = 0;
#ifdef ELSEWHERE
  somewhere();
#endif
  assert(errno == 0);
  assert(strtol(" -12x", &end, 10) == -12 && *end == 'x');
#ifndef RANGE
  assert(errno == 0);
#endif
  assert(strtol("9999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
#ifdef RANGE
  assert(errno == 0);
#endif
  qsort(numbers, 3, sizeof *numbers, ascending);
#ifdef SORTED
  assert(numbers[0] == 3);
#else
  assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
#endif
  assert((isalpha)(letter) && (toupper)(letter) == 'Q' && !(isdigit)(letter) && div(-7, 2).rem == -1);
  return 0;
}
