// EXPECT sc:FAIL rc11:FAIL
#define A 1
#define F 2
#define M 3
#define N 4
#define T 5
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
std::atomic<int> count{0};
int main() {
    std::thread worker([] { count += N; });
    worker.join();
    assert(count != N);
}
