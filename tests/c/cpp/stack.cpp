// EXPECT sc:PASS rc11:PASS
#include <atomic>
#include <cassert>
#include <thread>
template <class T> class Stack {
    struct Node {
        T value;
        Node *next;
    };
    std::atomic<Node *> top{nullptr};

public:
    void push(T value) {
        Node *node = new Node{value, top.load(std::memory_order_relaxed)};
        while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {}
    }
    bool pop(T &value) {
        Node *node = top.load(std::memory_order_acquire);
        while (node)
            if (top.compare_exchange_strong(node, node->next, std::memory_order_acquire)) {
                value = node->value;
                return true;
            }
        return false;
    }
};
int main() {
    Stack<int> stack;
    std::thread one([&] { stack.push(1); }), other([&] { stack.push(2); });
    one.join(), other.join();
    int a = 0, b = 0, c = 0;
    assert(stack.pop(a) && stack.pop(b) && !stack.pop(c));
    assert(a + b == 3);
}
