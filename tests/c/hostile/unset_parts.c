// EXPECT sc:safety:PASS rc11:safety:PASS -D MEMBER sc:safety:FAIL rc11:safety:FAIL -D THROUGH sc:safety:FAIL -D ELEMENT sc:safety:FAIL -D COPIED sc:safety:FAIL -D AGAIN sc:safety:FAIL -D FIELD sc:safety:FAIL -D VARIABLE sc:safety:FAIL -D UNION sc:safety:FAIL rc11:safety:FAIL -D KEPT sc:safety:FAIL
// Parts of local arrays and structs that nobody set are not read; to copy them along is no mistake.
#include <assert.h>
#include <string.h>
struct pair { int left, right; };
struct bits { unsigned low : 3, high : 5; };
union word { long all; int half; char byte[8]; };
volatile int three = 3;
static int right(struct pair *p) { return p->right; }
static int left(struct pair p) { return p.left; }
static int digits(char *text, int n) {
  int k = 0;
  do text[k++] = '0' + n % 10; while (n /= 10);
  return k;
}
static int chosen(int n) {
  int a[3];
  if (n == 0) for (int i = 0; i < 3; i++) a[i] = n + i;
  return a[n];
}

int main(void) {
  struct pair pair, copy;
  struct bits bits;
  union word word;
  int some[4], others[4], sum = 0, n = three, variable[n];
  char text[12];
  pair.left = 1;
  for (int i = 0; i < 3; i++) some[i] = variable[i] = i;
  memcpy(others, some, sizeof others);
  copy = pair;
  word.byte[0] = 1;
#if defined MEMBER
  if (copy.right) return 1;
#elif defined THROUGH
  if (right(&pair)) return 1;
#elif defined ELEMENT
  if (text[digits(text, 42)]) return 1;
#elif defined COPIED
  for (int i = 0; i < 4; i++) sum += others[i];
  return sum;
#elif defined AGAIN
  for (int i = 0; i < 2; i++) sum += chosen(i);
  return sum;
#elif defined FIELD
  return bits.low;
#elif defined UNION
  if (word.half == 5) return 1;
#elif defined KEPT
  int kept = word.half;
  return kept == 5;
#elif defined VARIABLE
  int short_one[n];
  short_one[0] = 1;
  for (int i = 0; i < n; i++) sum += short_one[i];
  return sum;
#endif
  bits.high = 2;
  word.byte[1] = word.byte[2] = word.byte[3] = 0;
  assert(word.half == 1);
  for (int i = 0; i < 3; i++) sum += others[i] + variable[i];
  assert(sum == 6 && left(copy) == 1 && bits.high == 2 && chosen(0) == 0 && digits(text, 42) == 2);
  return 0;
}
