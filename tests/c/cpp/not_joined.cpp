// EXPECT sc:FAIL
#include <thread>
int main() { std::thread worker([] {}); }
