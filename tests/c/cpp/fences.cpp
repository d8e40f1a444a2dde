// EXPECT sc:PASS tso:PASS rc11:PASS power:PASS
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<unsigned> x{0}, y{0};
int main() {
    unsigned a, b;
    std::thread one([&] {
        x.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        a = y.load(std::memory_order_relaxed);
    });
    y.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    b = x.load(std::memory_order_relaxed);
    one.join();
    assert(a == 1 || b == 1);
}
