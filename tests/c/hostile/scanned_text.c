// EXPECT sc:REFUSED -D INPUT sc:FAIL
// What is read out of a constant text is no arbitrary number.
#include <assert.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int v, w;
#ifdef INPUT
  if (sscanf(argv[0], "%d %d", &v, &w) == 2) assert(v == 12);
#else
  assert(sscanf("12 34", "%d %d", &v, &w) == 2 && v == 12);
#endif
  return 0;
}
