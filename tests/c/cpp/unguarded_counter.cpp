// EXPECT sc:FAIL rc11:FAIL
#include <cassert>
#include <thread>
int count;
int main() {
    std::thread one([] { ++count; }), other([] { ++count; });
    one.join(), other.join();
    assert(count == 2);
}
