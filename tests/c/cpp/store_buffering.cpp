// EXPECT sc:PASS tso:FAIL rc11:FAIL
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x{0}, y{0};
int main() {
    int a = 0, b = 0;
    std::thread one([&] {
        x.store(1, std::memory_order_relaxed);
        a = y.load(std::memory_order_relaxed);
    });
    std::thread other([&] {
        y.store(1, std::memory_order_relaxed);
        b = x.load(std::memory_order_relaxed);
    });
    one.join();
    other.join();
    assert(a == 1 || b == 1);
}
