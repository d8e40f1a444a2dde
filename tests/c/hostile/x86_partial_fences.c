// EXPECT sc:PASS tso:FAIL
#include <assert.h>
#include <pthread.h>
#include <immintrin.h>
volatile int x, y; int a, b;
void *p1(void *p) { x = 1; _mm_sfence(); a = y; return 0; }
void *p2(void *p) { y = 1; _mm_lfence(); b = x; return 0; }
int main(void) { pthread_t s, t; pthread_create(&s,0,p1,0); pthread_create(&t,0,p2,0); pthread_join(s,0); pthread_join(t,0); assert(a || b); return 0; }
