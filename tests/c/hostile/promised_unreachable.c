// EXPECT sc:PASS sc:safety:PASS rc11:safety:PASS -D REACHED sc:safety:FAIL sc:PASS rc11:safety:FAIL
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern _Noreturn void leave(int code);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 1)
    leave(1);
  if (x == 2)
    exit(0);
#ifdef REACHED
  if (x > 3)
#else
  if (x > 3 && x < 2)
#endif
    __builtin_unreachable();
  return 0;
}
