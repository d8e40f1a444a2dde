// EXPECT sc:PASS rc11:PASS
#include <cassert>
#include <thread>
int main() {
    int number = 1;
    std::thread worker([](int own) { assert(own == 1); }, number);
    number = 2;
    worker.join();
}
