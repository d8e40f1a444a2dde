// EXPECT sc:safety:PASS rc11:safety:PASS -D NUMBER sc:safety:FAIL rc11:safety:FAIL -D MEMBER sc:safety:FAIL -D SOME_WAYS sc:safety:FAIL
/* Local atomic variables have a value when they are read. */
#include <assert.h>
#include <stdatomic.h>

struct box { atomic_int content; _Atomic(int *) place; };
volatile int zero;

int main(void) {
  atomic_int number;
  struct box box;
#if defined NUMBER
  int found = number;
  if (found == 3) return 1;
#elif defined MEMBER
  box.place = 0;
  if (box.content == 3) return 1;
#elif defined SOME_WAYS
  if (zero) number = 1;
  if (number == 1) return 1;
#endif
  atomic_store_explicit(&number, 4, memory_order_release);
  assert(atomic_exchange(&number, 5) == 4 && number == 5);
  for (int round = 0; round < 2; round++) {
    atomic_int inner;
    if (zero) inner = 7;
    else inner = round;
    assert(inner == round);
  }
  return 0;
}
