// sc:PASS rc11:PASS power:PASS
#include <atomic>
#include <cassert>
#include <thread>

int cells[4];
std::atomic<int *> place{cells};
std::atomic<int> data{0}, done{0};

int main() {
    std::thread writer([] {
        data.store(1, std::memory_order_relaxed);
        place.fetch_add(1, std::memory_order_release);
    });
    if (place.load(std::memory_order_acquire) == cells + 1) assert(data.load(std::memory_order_relaxed) == 1);
    writer.join();
    place += 2;
    assert(place-- == cells + 3 && --place == cells + 1);
    return 0;
}
