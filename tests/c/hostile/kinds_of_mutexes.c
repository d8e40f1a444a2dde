// EXPECT sc:safety:PASS rc11:safety:PASS -D OTHERS sc:safety:FAIL rc11:safety:FAIL -D FREE sc:safety:FAIL -D DESTROYED sc:safety:FAIL -D TRIED sc:safety:FAIL -D WAIT sc:safety:FAIL -D C11 sc:safety:FAIL
/* Mutexes beside some that are recursive or check for errors: an ordinary one is still let go by who holds it. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>

pthread_mutex_t ordinary, checking, recursive;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
mtx_t again;

static void *other(void *unused) {
  assert(pthread_mutex_unlock(&checking) == EPERM);
  assert(pthread_mutex_unlock(&recursive) == EPERM);
#ifdef OTHERS
  pthread_mutex_unlock(&ordinary);
#elif defined C11
  mtx_unlock(&again);
#elif defined WAIT
  pthread_cond_wait(&condition, &ordinary);
#endif
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &kind);
  pthread_mutex_init(&ordinary, 0);
  mtx_init(&again, mtx_plain | mtx_recursive);
  pthread_mutex_lock(&ordinary);
  pthread_mutex_lock(&checking);
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  mtx_lock(&again);
  pthread_cond_wait(&condition, &ordinary);
  pthread_create(&thread, 0, other, 0);
  pthread_join(thread, 0);
  mtx_unlock(&again);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&checking);
  pthread_mutex_unlock(&ordinary);
#ifdef FREE
  pthread_mutex_unlock(&ordinary);
#endif
  pthread_mutex_destroy(&ordinary);
#ifdef DESTROYED
  pthread_mutex_lock(&ordinary);
#elif defined TRIED
  pthread_mutex_trylock(&ordinary);
#endif
  return 0;
}
