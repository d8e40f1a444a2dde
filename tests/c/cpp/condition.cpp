// EXPECT sc:PASS rc11:PASS
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex guard;
std::condition_variable changed;
bool ready;
int letter;
int main() {
    std::thread sender([] {
        std::unique_lock<std::mutex> held(guard);
        letter = 5;
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> held(guard);
        changed.wait(held, [] { return ready; });
        assert(letter == 5);
    }
    sender.join();
}
