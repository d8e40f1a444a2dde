// EXPECT sc:PASS tso:PASS aarch64:FAIL rc11:FAIL
#include <atomic>
#include <cassert>
#include <thread>
std::atomic_flag busy;
int inside;
void work() {
    while (busy.test_and_set(std::memory_order_acquire)) {}
    int before = inside;
    inside = before + 1;
    busy.clear(std::memory_order_relaxed);
}
int main() {
    std::thread one(work), other(work);
    one.join(), other.join();
    assert(inside == 2);
}
