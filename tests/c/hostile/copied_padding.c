// EXPECT sc:safety:PASS sc:PASS rc11:safety:PASS -D MEMBER sc:safety:FAIL
// Copies of structs take along what is between their members, and what nobody wrote.
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
struct gap { int first; long second; };
static long sum(int n, ...) {
  va_list l;
  va_start(l, n);
  char c = va_arg(l, int);
  struct gap g = va_arg(l, struct gap);
  va_end(l);
  return c + g.first + g.second;
}
int main(void) {
  struct gap *on_heap = malloc(sizeof *on_heap), copy;
  on_heap->first = 2;
#ifndef MEMBER
  on_heap->second = 3;
#endif
  copy = *on_heap;
  assert(sum(2, 'a', copy) == 'a' + 5);
  free(on_heap);
  return 0;
}
