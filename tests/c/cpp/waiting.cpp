// sc:PASS rc11:PASS
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> ready{0}, data{0};

int main() {
    std::thread writer([] {
        data.store(1, std::memory_order_relaxed);
        ready.store(1, std::memory_order_release);
        ready.notify_one();
    });
    ready.wait(0, std::memory_order_acquire);
    assert(data.load(std::memory_order_relaxed) == 1);
    writer.join();
    return 0;
}
