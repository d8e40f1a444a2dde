// EXPECT sc:PASS
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
struct Base {
    virtual ~Base() = default;
    virtual int value() const { return 1; }
};
struct Derived : Base {
    int value() const override { return 2; }
};
int main() {
    std::atomic<int> seen{0};
    {
        std::unique_ptr<Derived> object = std::make_unique<Derived>();
        std::thread reader([&] { seen = object->Derived::value(); });
        reader.join();
    }
    assert(seen == 2);
}
