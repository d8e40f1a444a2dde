// EXPECT sc:PASS tso:PASS
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int n;
static void leave(void *p) { n++; pthread_mutex_unlock(p); }
static void *w(void *p) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(leave, &m);
  if (p) pthread_exit(0);
  pthread_cleanup_pop(1);
  return 0;
}
int main(void) { pthread_t a, b; pthread_create(&a,0,w,0); pthread_create(&b,0,w,&n); pthread_join(a,0); pthread_join(b,0); pthread_mutex_lock(&m); assert(n == 2); pthread_mutex_unlock(&m); return 0; }
