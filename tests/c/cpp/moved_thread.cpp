// EXPECT sc:PASS
#include <cassert>
#include <thread>
#include <utility>
int done;
std::thread start() {
    return std::thread([] { done = 1; });
}
int main() {
    std::thread one = start();
    std::thread other(std::move(one));
    assert(!one.joinable() && other.joinable());
    other.join();
    assert(done);
}
