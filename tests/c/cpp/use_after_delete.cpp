// EXPECT sc:FAIL
#include <atomic>
#include <thread>
std::atomic<int *> shared{nullptr};
int main() {
    shared = new int(1);
    std::thread reader([] {
        if (int *object = shared.load()) *object = 2;
    });
    int *object = shared.exchange(nullptr);
    delete object;
    reader.join();
}
