/* Each thread's errno, and the calls whose errors it tells. */
#include <errno.h>
#include <semaphore.h>
#include <time.h>

_Thread_local int treville_errno;
int treville_sem_trywait(sem_t *s);
int treville_sem_timedwait(sem_t *s, const struct timespec *until);
int treville_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until);

int *__errno_location(void) { return &treville_errno; }
int *__error(void) { return &treville_errno; }

static int telling(int result, int error) {
  if (result)
    treville_errno = error;
  return result;
}

int sem_trywait(sem_t *s) { return telling(treville_sem_trywait(s), EAGAIN); }
int sem_timedwait(sem_t *s, const struct timespec *until) {
  return telling(treville_sem_timedwait(s, until), ETIMEDOUT);
}
int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until) {
  return telling(treville_sem_clockwait(s, clock, until), ETIMEDOUT);
}
