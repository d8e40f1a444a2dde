// EXPECT sc:PASS rc11:PASS
#include <cassert>
#include <cstdlib>

int ended;
struct Device {
    int number;
    explicit Device(int given) : number(given) {}
    ~Device() { assert(ended == 3 - number); ended++; }
};
Device first(1), second(2);

static void last() { assert(ended == 0); ended++; }
static void none() { assert(0); }

int main() {
    void (*chosen)() = ended ? none : last;
    std::atexit(chosen);
    chosen = none;
}
