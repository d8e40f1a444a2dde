// EXPECT sc:REFUSED
#include <assert.h>
#include <stdio.h>
int __VERIFIER_nondet_int(void);

int main(void) {
  char text[16];
  int value = __VERIFIER_nondet_int();
  snprintf(text, sizeof text, "%d", value);
  assert(text[0] != '7');
  return 0;
}
