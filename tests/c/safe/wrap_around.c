/* Widths and wrap-around: unsigned char wraps at 256, shifts and masks are bitwise, comparisons are signed or
 * not as their types say. -DWRONG takes the sum for a number that does not wrap. */
#include <assert.h>
#include <pthread.h>

static unsigned char small = 250;
static short signed_one = -1;
static unsigned mask = 0xf0f0f0f0u;

static void *thread(void *unused) {
    small += 10;
    signed_one *= 2;
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    pthread_join(other, 0);
#ifdef WRONG
    assert(small == 260);
#else
    assert(small == 4);
#endif
    assert(signed_one == -2 && (unsigned short)signed_one == 65534u);
    assert((mask >> 4 ^ 0x0f0f0f0fu) == 0 && (int)mask < 0 && mask > 0x7fffffffu);
    assert((mask & -mask) == 0x10u);
    return 0;
}
