// EXPECT sc:PASS rc11:PASS power:PASS
#include <cassert>
#include <mutex>
#include <thread>
class Counter {
    std::mutex guard;
    int count = 0;

public:
    void add() {
        std::lock_guard<std::mutex> held(guard);
        ++count;
    }
    int total() {
        std::lock_guard held(guard);
        return count;
    }
};
int main() {
    Counter counter;
    auto work = [&counter] { counter.add(); };
    std::thread one(work), other(work);
    one.join(), other.join();
    assert(counter.total() == 2);
}
