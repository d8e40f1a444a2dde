// EXPECT sc:PASS rc11:PASS c11:PASS imm:PASS power:PASS
#include <assert.h>
#include <stdatomic.h>

atomic_int x;

int main(void) {
  atomic_init(&x, 5); /* a plain write, and the oldest modification of the object */
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  assert(atomic_load_explicit(&x, memory_order_relaxed) == 1);
  return 0;
}
