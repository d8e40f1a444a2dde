// EXPECT sc:PASS rc11:PASS
#include <cassert>
#include <mutex>
#include <thread>
std::once_flag flag;
int made;
void use() {
    std::call_once(flag, [] { ++made; });
    assert(made == 1);
}
int main() {
    std::thread worker(use);
    use();
    worker.join();
}
