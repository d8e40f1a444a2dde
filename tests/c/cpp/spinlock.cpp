// EXPECT sc:PASS rc11:PASS aarch64:PASS
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
class Spin {
    std::atomic_flag busy = ATOMIC_FLAG_INIT;

public:
    void lock() {
        while (busy.test_and_set(std::memory_order_acquire)) {}
    }
    void unlock() { busy.clear(std::memory_order_release); }
};
Spin spin;
int inside;
void work() {
    std::lock_guard<Spin> held(spin);
    int seen = ++inside;
    assert(seen == inside);
    --inside;
}
int main() {
    std::thread one(work), other(work);
    one.join(), other.join();
}
