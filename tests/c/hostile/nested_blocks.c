// EXPECT sc:PASS tso:PASS
#include <assert.h>
#include <pthread.h>
int x;
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
void __VERIFIER_atomic_twice(void) { __VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end(); x++; }
void *w(void *p) { __VERIFIER_atomic_twice(); return 0; }
void *r(void *p) { __VERIFIER_atomic_begin(); int v = x; __VERIFIER_atomic_end(); assert(v % 2 == 0); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a,0,w,0); pthread_create(&b,0,r,0); pthread_join(a,0); pthread_join(b,0); assert(x == 2); return 0; }
