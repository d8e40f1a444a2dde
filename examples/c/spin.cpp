// A spin lock in C++: with RELAXED, what one thread did inside may not be seen by the next.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef RELAXED
constexpr auto RELEASE = std::memory_order_relaxed;
#else
constexpr auto RELEASE = std::memory_order_release;
#endif

class SpinLock {
    std::atomic<bool> busy{false};

public:
    void lock() {
        while (busy.exchange(true, std::memory_order_acquire)) {}
    }
    void unlock() { busy.store(false, RELEASE); }
};

SpinLock spin;
int count;

void work() {
    std::lock_guard<SpinLock> held(spin);
    ++count;
}

int main() {
    std::thread one(work), other(work);
    one.join();
    other.join();
    assert(count == 2);
}
