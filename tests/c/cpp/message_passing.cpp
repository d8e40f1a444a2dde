// EXPECT sc:PASS rc11:PASS power:PASS
#include <atomic>
#include <cassert>
#include <thread>
struct Mail {
    int letter = 0;
    std::atomic<bool> ready{false};
    void send(int text) {
        letter = text;
        ready.store(true, std::memory_order_release);
    }
    void take() {
        if (ready.load(std::memory_order_acquire)) assert(letter == 7);
    }
};
int main() {
    Mail mail;
    std::thread sender(&Mail::send, &mail, 7), taker(&Mail::take, &mail);
    sender.join(), taker.join();
}
