// EXPECT sc:safety:PASS rc11:safety:PASS aarch64:safety:PASS -D STORED sc:safety:FAIL rc11:safety:FAIL -D KEPT sc:safety:FAIL aarch64:safety:FAIL -D LAST_ROUND sc:safety:FAIL -D THROUGH sc:safety:FAIL -D RETURNED sc:safety:FAIL -D LISTED sc:safety:FAIL -D STARTED sc:safety:FAIL rc11:safety:FAIL -D LITERAL sc:safety:FAIL
// Pointers to variables of blocks that have been left.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
int *global;
struct node *head;
static void give(int **to, int *what) { *to = what; }
static int *same(int *p) { return p; }
static int *local(void) { int x = 3; return same(&x); }
static void push(struct node *n) { n->next = head; head = n; }
static int sum(void) { int s = 0; for (struct node *n = head; n; n = n->next) s += n->value; return s; }
static void *reads(void *p) { return (void *)(long)*(int *)p; }

int main(void) {
  int *p = 0, total = 0;
  struct node last = {0, 1}, *q = 0;
  pthread_t t;
#if defined STORED
  { int x = 1; global = &x; }
  return *global;
#elif defined LITERAL
  for (int i = 0; i < 2; i++) {
    if (p) return *p;
    p = &(int){i};
  }
#elif defined KEPT
  { int x = 1; p = &x; }
  return *p;
#elif defined LAST_ROUND
  for (int i = 0; i < 2; i++) {
    struct node n = {0, i};
    if (q) return q->value;
    q = &n;
  }
#elif defined THROUGH
  { int x = 1; give(&p, &x); }
  return *p;
#elif defined RETURNED
  return *local();
#elif defined LISTED
  push(&last);
  { struct node inner = {0, 2}; push(&inner); }
  return sum();
#elif defined STARTED
  for (int i = 0; i < 1; i++) { int x = i; pthread_create(&t, 0, reads, &x); }
  pthread_join(t, 0);
#else
  for (int i = 0; i < 3; i++) {
    struct node n = {0, i};
    struct node *r = i == 1 ? &n : &last;
    int x = i;
    give(&p, &x);
    global = &x;
    *p += 1;
    total += r->value + *global;
    p = &(int){i};
    total += *p - i;
    pthread_create(&t, 0, reads, &x);
    pthread_join(t, 0);
  }
  push(&last);
  { struct node inner = {0, 2}; push(&inner); total += sum(); head = inner.next; }
  p = &total;
  assert(*p == 12 && sum() == 1);
#endif
  return 0;
}
