// EXPECT sc:PASS tso:PASS power:FAIL rc11:FAIL
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> letter{0}, ready{0};
int main() {
    std::thread sender([] {
        letter.store(7, std::memory_order::relaxed);
        ready.store(1, std::memory_order::relaxed);
    });
    if (ready.load(std::memory_order::relaxed)) assert(letter.load(std::memory_order::relaxed) == 7);
    sender.join();
}
