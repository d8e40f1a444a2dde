/* The Linux kernel's primitives for memory ordering, for programs that are checked under the model `lkmm`.

   Nothing here can be run: the functions are known to Treville by their names. Values are integers of up to 64
   bits or pointers. */

#ifndef TREVILLE_LKMM_H
#define TREVILLE_LKMM_H

#include <pthread.h>
#include <stdint.h>

/* READ_ONCE and the like may also be asked of an atomic_t: then of its counter. */
#define __lkmm_bits(x) (8 * (int)sizeof(x))
#define __lkmm_as(x, value) ((__typeof__(_Generic((x), atomic_t: 0, atomic64_t: 0L, default: (x))))(value))

unsigned long __lkmm_READ_ONCE(const volatile void *, int);
unsigned long __lkmm_rcu_dereference(const volatile void *, int);
unsigned long __lkmm_smp_load_acquire(const volatile void *, int);
void __lkmm_WRITE_ONCE(volatile void *, unsigned long, int);
void __lkmm_RCU_INIT_POINTER(volatile void *, unsigned long, int);
void __lkmm_rcu_assign_pointer(volatile void *, unsigned long, int);
void __lkmm_smp_store_release(volatile void *, unsigned long, int);
void __lkmm_smp_store_mb(volatile void *, unsigned long, int);

#define READ_ONCE(x) __lkmm_as(x, __lkmm_READ_ONCE(&(x), __lkmm_bits(x)))
#define WRITE_ONCE(x, value) __lkmm_WRITE_ONCE(&(x), (unsigned long)(value), __lkmm_bits(x))
#define smp_load_acquire(p) __lkmm_as(*(p), __lkmm_smp_load_acquire((p), __lkmm_bits(*(p))))
#define smp_store_release(p, value) __lkmm_smp_store_release((p), (unsigned long)(value), __lkmm_bits(*(p)))
#define smp_store_mb(x, value) __lkmm_smp_store_mb(&(x), (unsigned long)(value), __lkmm_bits(x))
#define rcu_dereference(x) __lkmm_as(x, __lkmm_rcu_dereference(&(x), __lkmm_bits(x)))
#define rcu_access_pointer(x) READ_ONCE(x)
#define rcu_assign_pointer(x, value) __lkmm_rcu_assign_pointer(&(x), (unsigned long)(value), __lkmm_bits(x))
#define RCU_INIT_POINTER(x, value) __lkmm_RCU_INIT_POINTER(&(x), (unsigned long)(value), __lkmm_bits(x))

#define __LKMM_EXCHANGE(order)                                                                    \
    unsigned long __lkmm_xchg##order(volatile void *, unsigned long, int);                        \
    unsigned long __lkmm_cmpxchg##order(volatile void *, unsigned long, unsigned long, int);
__LKMM_EXCHANGE()
__LKMM_EXCHANGE(_relaxed)
__LKMM_EXCHANGE(_acquire)
__LKMM_EXCHANGE(_release)

#define __lkmm_exchange(order, p, value)                                                          \
    __lkmm_as(*(p), __lkmm_xchg##order((p), (unsigned long)(value), __lkmm_bits(*(p))))
#define __lkmm_compare(order, p, old, value)                                                      \
    __lkmm_as(*(p), __lkmm_cmpxchg##order((p), (unsigned long)(old), (unsigned long)(value),      \
                                          __lkmm_bits(*(p))))
#define xchg(p, value) __lkmm_exchange(, p, value)
#define xchg_relaxed(p, value) __lkmm_exchange(_relaxed, p, value)
#define xchg_acquire(p, value) __lkmm_exchange(_acquire, p, value)
#define xchg_release(p, value) __lkmm_exchange(_release, p, value)
#define cmpxchg(p, old, value) __lkmm_compare(, p, old, value)
#define cmpxchg_relaxed(p, old, value) __lkmm_compare(_relaxed, p, old, value)
#define cmpxchg_acquire(p, old, value) __lkmm_compare(_acquire, p, old, value)
#define cmpxchg_release(p, old, value) __lkmm_compare(_release, p, old, value)

void smp_mb(void);
void smp_rmb(void);
void smp_acquire__after_ctrl_dep(void);
void smp_wmb(void);
void smp_mb__before_atomic(void);
void smp_mb__after_atomic(void);
void smp_mb__after_spinlock(void);
void smp_mb__after_unlock_lock(void);
void barrier(void);
void cpu_relax(void);

void rcu_read_lock(void);
void rcu_read_unlock(void);
void synchronize_rcu(void);
void synchronize_rcu_expedited(void);

struct srcu_struct {
    int index;
};
int srcu_read_lock(struct srcu_struct *);
void srcu_read_unlock(struct srcu_struct *, int);
void synchronize_srcu(struct srcu_struct *);

typedef struct {
    int held;
} spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name
#define spin_lock_init(lock) ((void)((lock)->held = 0))
void spin_lock(spinlock_t *);
void spin_unlock(spinlock_t *);
int spin_trylock(spinlock_t *);
int spin_is_locked(spinlock_t *);

typedef struct {
    int counter;
} atomic_t;
typedef struct {
    long counter;
} atomic64_t;
typedef atomic64_t atomic_long_t;
#define ATOMIC_INIT(value) {(value)}
#define ATOMIC64_INIT(value) {(value)}
#define ATOMIC_LONG_INIT(value) {(value)}

#define __LKMM_ORDERED(type, name, ...)                                                           \
    type name(__VA_ARGS__);                                                                       \
    type name##_relaxed(__VA_ARGS__);                                                             \
    type name##_acquire(__VA_ARGS__);                                                             \
    type name##_release(__VA_ARGS__);
#define __LKMM_ARITHMETIC(atomic, type, operation)                                                \
    void atomic##_##operation(type, atomic##_t *);                                                \
    __LKMM_ORDERED(type, atomic##_fetch_##operation, type, atomic##_t *)                          \
    __LKMM_ORDERED(type, atomic##_##operation##_return, type, atomic##_t *)
#define __LKMM_STEP(atomic, type, operation)                                                      \
    void atomic##_##operation(atomic##_t *);                                                      \
    __LKMM_ORDERED(type, atomic##_fetch_##operation, atomic##_t *)                                \
    __LKMM_ORDERED(type, atomic##_##operation##_return, atomic##_t *)                             \
    int atomic##_##operation##_and_test(atomic##_t *);
#define __LKMM_ATOMIC(atomic, type)                                                               \
    type atomic##_read(const atomic##_t *);                                                       \
    type atomic##_read_acquire(const atomic##_t *);                                               \
    void atomic##_set(atomic##_t *, type);                                                        \
    void atomic##_set_release(atomic##_t *, type);                                                \
    __LKMM_ORDERED(type, atomic##_xchg, atomic##_t *, type)                                       \
    __LKMM_ORDERED(type, atomic##_cmpxchg, atomic##_t *, type, type)                              \
    __LKMM_ARITHMETIC(atomic, type, add)                                                          \
    __LKMM_ARITHMETIC(atomic, type, sub)                                                          \
    __LKMM_ARITHMETIC(atomic, type, and)                                                          \
    __LKMM_ARITHMETIC(atomic, type, or)                                                           \
    __LKMM_ARITHMETIC(atomic, type, xor)                                                          \
    __LKMM_ARITHMETIC(atomic, type, andnot)                                                       \
    __LKMM_STEP(atomic, type, inc)                                                                \
    __LKMM_STEP(atomic, type, dec)                                                                \
    int atomic##_sub_and_test(type, atomic##_t *);                                                \
    int atomic##_add_negative(type, atomic##_t *);                                                \
    int atomic##_add_unless(atomic##_t *, type, type);                                            \
    int atomic##_inc_not_zero(atomic##_t *);
__LKMM_ATOMIC(atomic, int)
__LKMM_ATOMIC(atomic64, long)
__LKMM_ATOMIC(atomic_long, long)

#define __lkmm_try(compare, p, old, value)                                                        \
    ({                                                                                            \
        __typeof__(*(old)) __lkmm_want = *(old), __lkmm_seen = compare(p, __lkmm_want, value);    \
        *(old) = __lkmm_seen;                                                                     \
        __lkmm_seen == __lkmm_want;                                                               \
    })
#define try_cmpxchg(p, old, value) __lkmm_try(cmpxchg, p, old, value)
#define try_cmpxchg_relaxed(p, old, value) __lkmm_try(cmpxchg_relaxed, p, old, value)
#define try_cmpxchg_acquire(p, old, value) __lkmm_try(cmpxchg_acquire, p, old, value)
#define try_cmpxchg_release(p, old, value) __lkmm_try(cmpxchg_release, p, old, value)
#define atomic_try_cmpxchg(p, old, value) __lkmm_try(atomic_cmpxchg, p, old, value)
#define atomic_try_cmpxchg_relaxed(p, old, value) __lkmm_try(atomic_cmpxchg_relaxed, p, old, value)
#define atomic_try_cmpxchg_acquire(p, old, value) __lkmm_try(atomic_cmpxchg_acquire, p, old, value)
#define atomic_try_cmpxchg_release(p, old, value) __lkmm_try(atomic_cmpxchg_release, p, old, value)

#define __lkmm_await(read, type, condition)                                                       \
    ({                                                                                            \
        __typeof__(type) VAL;                                                                     \
        for (;;) {                                                                                \
            VAL = read;                                                                           \
            if (condition)                                                                        \
                break;                                                                            \
            cpu_relax();                                                                          \
        }                                                                                         \
        VAL;                                                                                      \
    })
#define smp_cond_load_relaxed(p, condition) __lkmm_await(READ_ONCE(*(p)), *(p), condition)
#define smp_cond_load_acquire(p, condition) __lkmm_await(smp_load_acquire(p), *(p), condition)
#define atomic_cond_read_relaxed(v, condition) __lkmm_await(atomic_read(v), (v)->counter, condition)
#define atomic_cond_read_acquire(v, condition) __lkmm_await(atomic_read_acquire(v), (v)->counter, condition)

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

#endif
