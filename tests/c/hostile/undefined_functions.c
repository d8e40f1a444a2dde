// EXPECT sc:FAIL
#include <assert.h>

int *find(int key);
void note(const char *text, ...);
int known;

int main(void) {
  int *found = find(3);
  note("%d", known);
  assert(known == 0);
  assert(found != &known); /* it may be */
  return 0;
}
