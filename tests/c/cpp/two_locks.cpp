// EXPECT sc:PASS
#include <cassert>
#include <mutex>
#include <thread>
std::mutex one, other;
int left = 3, right = 4;
void move_over(int by) {
    std::scoped_lock held(one, other);
    left -= by, right += by;
}
int main() {
    std::thread worker(move_over, 1);
    {
        std::scoped_lock held(other, one);
        assert(left + right == 7);
    }
    worker.join();
}
