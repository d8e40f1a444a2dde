// EXPECT sc:PASS tso:PASS
#include <assert.h>
#include <stdlib.h>
int x;
static void one(void) { assert(x == 3); x = 4; }
static void two(void) { assert(x == 2); x = 3; }
__attribute__((constructor(200))) static void late(void) { assert(x == 1); x = 2; }
__attribute__((constructor(150))) static void early(void) { assert(x == 0); x = 1; }
__attribute__((destructor)) static void last(void) { assert(x == 4); }
int main(void) { atexit(one); atexit(two); if (x == 2) exit(0); assert(0); }
