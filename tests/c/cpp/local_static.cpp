// EXPECT sc:PASS rc11:PASS
#include <cassert>
#include <thread>
int calls;
int make() { return ++calls; }
int get() {
    static int value = make();
    return value;
}
int main() {
    std::thread worker([] { assert(get() == 1); });
    assert(get() == 1);
    worker.join();
}
