// EXPECT aarch64:PASS rc11:PASS -D LOST aarch64:FAIL
/* Compare-and-swap of one instruction, by hand. */
#include <assert.h>
#include <pthread.h>

int count;

static void *add(void *unused) {
  int expected, found;
  do {
    __asm__ volatile("ldr %w0, %1" : "=r"(expected) : "Q"(count) : "memory");
    found = expected;
    __asm__ volatile(".arch_extension lse\n cas %w0, %w2, %1" : "+r"(found), "+Q"(count) : "r"(expected + 1) : "memory");
#ifdef LOST
    break;
#endif
  } while (found != expected);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, add, 0);
  pthread_create(&two, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(count == 2);
  return 0;
}
