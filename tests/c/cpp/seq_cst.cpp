// EXPECT sc:PASS tso:PASS rc11:PASS power:PASS
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x, y;
int main() {
    int a, b;
    std::thread one([&] { x = 1, a = y; }), other([&] { y = 1, b = x; });
    one.join(), other.join();
    assert(a || b);
}
