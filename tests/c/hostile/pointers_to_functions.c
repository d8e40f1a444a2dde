// EXPECT sc:PASS sc:valid-memsafety:PASS -D SAME sc:FAIL -D WEAK sc:FAIL -D NULL_CALL sc:safety:FAIL -D KEPT sc:valid-memtrack:FAIL
#include <assert.h>
#include <stdlib.h>

extern void one(void), other(void);
extern int nobody(void) __attribute__((weak));
extern int nothing __attribute__((weak));
static void keep(void *p) { (void)p; }
void (*first)(void) = one;
#ifdef KEPT
void (*release)(void *) = keep;
#else
void (*release)(void *) = free;
#endif
int (*missing)(void);

int main(void) {
  void *(*allocate)(size_t) = malloc;
  release(allocate(4));
#ifdef SAME
  assert(first == other);
#else
  assert(first == one && first != other);
#endif
#ifdef WEAK
  assert(nobody || &nothing);
#else
  assert(!nobody && !&nothing);
#endif
#ifdef NULL_CALL
  missing();
#endif
  return 0;
}
