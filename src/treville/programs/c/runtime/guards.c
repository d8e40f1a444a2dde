/* Static variables of C++ functions: the first thread that comes makes them, others wait until they are made.
 * The first byte says that the variable is there (which compilers look at themselves), the second that somebody
 * is making it. */
int __cxa_guard_acquire(char *guard) {
    char free = 0;
    while (!__atomic_compare_exchange_n(guard + 1, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        free = 0;
    if (!__atomic_load_n(guard, __ATOMIC_ACQUIRE))
        return 1;
    __atomic_store_n(guard + 1, 0, __ATOMIC_RELEASE);
    return 0;
}

void __cxa_guard_release(char *guard) {
    __atomic_store_n(guard, 1, __ATOMIC_RELEASE);
    __atomic_store_n(guard + 1, 0, __ATOMIC_RELEASE);
}
