// EXPECT sc:PASS rc11:PASS aarch64:PASS
#include <atomic>
#include <cassert>
#include <thread>
std::atomic_int count;
int main() {
    std::thread one([] { count++; }), other([] { count.fetch_add(2, std::memory_order_relaxed); });
    one.join(), other.join();
    assert(count == 3);
    assert(++count == 4 && count-- == 4 && (count += 7) == 10 && (count &= 6) == 2);
}
