// EXPECT sc:safety:PASS rc11:safety:PASS -D TESTED sc:safety:FAIL rc11:safety:FAIL -D KEPT sc:safety:FAIL -D HANDED_ON sc:safety:FAIL -D PASSED sc:safety:FAIL -D POINTER sc:safety:FAIL -D LENGTH sc:safety:FAIL -D NEGATIVE sc:safety:FAIL
/* The result of a function that ended without one is not used; an array has a length. */
#include <assert.h>
#include <stdbool.h>

struct pair { int left, right; };
volatile int zero, one = 1;

static int number(int given) { if (given) return given; }
static bool truth(int given) { if (given) return true; }
static int *pointer(int given) { static int there; if (given) return &there; }
static int handed_on(int given) { return number(given); }
static int is_three(int given) { return given == 3; }
static struct pair half(int given) { struct pair made; made.left = given; return made; }
static int sum(int count) {
  int elements[count], found = 0;
  for (int i = 0; i < count; i++) elements[i] = i;
  for (int i = 0; i < count; i++) found += elements[i];
  return found;
}

int main(void) {
  number(zero);
  (void)truth(zero);
  struct pair made = half(one);
  assert(made.left == 1 && number(one) == 1 && handed_on(2) == 2 && truth(one) && sum(one + 2) == 3);
#if defined TESTED
  if (truth(zero)) return 1;
#elif defined KEPT
  int kept = number(zero);
  if (kept) return 1;
#elif defined HANDED_ON
  if (handed_on(zero)) return 1;
#elif defined PASSED
  if (is_three(number(zero))) return 1;
#elif defined POINTER
  if (pointer(zero)) return 1;
#elif defined LENGTH
  return sum(zero);
#elif defined NEGATIVE
  return sum(-one);
#endif
  return 0;
}
