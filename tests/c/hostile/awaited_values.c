// EXPECT sc:PASS tso:PASS rc11:PASS
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define EQUAL 0x2
#define BELOW_SIGNED 0xc
int __VERIFIER_load_await_aint(atomic_int *place, int condition, int operand);
int __VERIFIER_xchg_await_aint(atomic_int *place, int value, int condition, int operand);

static atomic_int turn = 1, level;
static int data;

static void *taker(void *arg) {
  int mine = *(int *)arg;
  assert(__VERIFIER_xchg_await_aint(&turn, -1, EQUAL, mine) == mine);
  data++;
  turn = mine + 1;
  return 0;
}

static void *lower(void *unused) {
  level = -2;
  return 0;
}

int main(void) {
  static int numbers[2] = {1, 2};
  pthread_t one, two, three;
  pthread_create(&one, 0, taker, &numbers[1]);
  pthread_create(&two, 0, taker, &numbers[0]);
  pthread_create(&three, 0, lower, 0);
  assert(__VERIFIER_load_await_aint(&turn, EQUAL, 3) == 3);
  assert(data == 2);
  assert(__VERIFIER_load_await_aint(&level, BELOW_SIGNED, 0) == -2);
  return 0;
}
