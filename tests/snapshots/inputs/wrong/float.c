#include <assert.h>
static float f;
int main(void) { f = f + 1.5f; assert(f > 1); return 0; }
