// EXPECT sc:PASS rc11:PASS
#include <cassert>
#include <functional>
#include <thread>
void add(int &sum, int by, const long *more) { sum += by + *more; }
int main() {
    int sum = 1;
    long more = 3;
    std::thread worker(add, std::ref(sum), 2, &more);
    worker.join();
    assert(sum == 6);
}
