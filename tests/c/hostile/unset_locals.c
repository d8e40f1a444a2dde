// EXPECT sc:safety:PASS sc:PASS rc11:PASS -D SOME_WAYS sc:FAIL rc11:FAIL sc:safety:FAIL -D NEVER sc:safety:FAIL aarch64:safety:FAIL -D MEMBER sc:FAIL -D ELEMENT sc:FAIL -D THROUGH sc:FAIL -D POINTER sc:FAIL -D NO_RESULT sc:FAIL -D AGAIN sc:safety:FAIL -D BITS sc:FAIL
// A local variable that was not set holds anything, also where it is set on other ways.
#include <assert.h>
#include <stdlib.h>
struct pair { int left; char right; long more; };
struct bits { unsigned low : 3, high : 5; };
static void set(int *p) { if (rand()) *p = 1; }
static int result(int c) { if (c) return 1; }
int global;

int main(void) {
  int x, chosen = rand(), *p;
  struct pair pair;
  struct bits bits;
  int array[3];
  (void)x;
  if (chosen) x = 1, p = &global, pair.right = 1, array[1] = 1;
#if defined SOME_WAYS
  assert(x == 1);
#elif defined NEVER
  int y;
  return y + 1 > 3;
#elif defined MEMBER
  assert(pair.right == 1);
#elif defined ELEMENT
  assert(array[1] == 1);
#elif defined THROUGH
  int z;
  set(&z);
  assert(z == 1);
#elif defined POINTER
  assert(p == &global);
#elif defined NO_RESULT
  assert(result(0) == 1);
#elif defined AGAIN
  for (int i = 0; i < 2; i++) {
    int inner;
    if (i == 0) inner = 1;
    if (inner) continue;
  }
#elif defined BITS
  bits.low = 1;
  if (chosen) bits.high = 4;
  assert(bits.low == 1);
  assert(bits.high == 4);
#else
  if (chosen) assert(x == 1 && p == &global && pair.right == 1 && array[1] == 1);
  bits.low = 5;
  struct pair copy = pair; /* takes along what nobody set */
  copy.left = 2;
  assert(bits.low == 5 && copy.left == 2);
#endif
  return 0;
}
