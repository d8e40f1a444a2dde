// EXPECT sc:PASS -D IOCTL sc:REFUSED -D SOCKET sc:REFUSED
// What the system writes through pointers.
#include <assert.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(void) {
    int size = 0;
#ifdef IOCTL
    if (ioctl(0, FIONREAD, &size) < 0)
        return 1;
#endif
#ifdef SOCKET
    socklen_t length = sizeof size;
    getsockopt(3, SOL_SOCKET, SO_ERROR, &size, &length);
#endif
    assert(size == 0);
    return 0;
}
