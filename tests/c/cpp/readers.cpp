// EXPECT sc:PASS rc11:PASS
#include <cassert>
#include <shared_mutex>
#include <thread>
std::shared_mutex guard;
int left, right;
int main() {
    std::jthread writer([] {
        std::lock_guard held(guard);
        left = 1;
        right = 1;
    });
    std::shared_lock held(guard);
    assert(left == right);
}
