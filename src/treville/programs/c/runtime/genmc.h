/* The interface of GenMC for annotated programs. Annotations are hints for a search: what they mark means what
 * it means without them. Hazard pointers protect nothing, since what is retired is never used again by others. */
#ifndef TREVILLE_GENMC_H
#define TREVILLE_GENMC_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);

typedef pthread_t __VERIFIER_thread_t;

static inline pthread_t treville_spawn(void *(*start)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, 0, start, argument);
    return thread;
}

static inline void *treville_join(pthread_t thread)
{
    void *result = 0;
    pthread_join(thread, &result);
    return result;
}

#define __VERIFIER_spawn(start, argument) treville_spawn((start), (argument))
#define __VERIFIER_spawn_symmetric(start, argument, twin) ((void)(twin), treville_spawn((start), (argument)))
#define __VERIFIER_join(thread) treville_join(thread)
#define __VERIFIER_join_symmetric(thread) ((void)treville_join(thread))

#define __VERIFIER_optional(...) do { __VA_ARGS__; } while (0)
#define __VERIFIER_local_write(...) do { __VA_ARGS__; } while (0)
#define __VERIFIER_final_write(...) do { __VA_ARGS__; } while (0)
#define __VERIFIER_helped_CAS(...) do { __VA_ARGS__; } while (0)
#define __VERIFIER_helping_CAS(...) do { __VA_ARGS__; } while (0)
#define __VERIFIER_final_CAS(...) ({ __VA_ARGS__; })
#define __VERIFIER_speculative_read(...) ({ __VA_ARGS__; })
#define __VERIFIER_confirming_read(...) ({ __VA_ARGS__; })
#define __VERIFIER_confirming_CAS(...) ({ __VA_ARGS__; })

typedef struct {
    void *unused;
} __VERIFIER_hp_t;

static __VERIFIER_hp_t treville_hazard;

#define __VERIFIER_hp_alloc() (&treville_hazard)
#define __VERIFIER_hp_protect(hazard, pointer) \
    ((void)(hazard), __atomic_load_n((void **)(pointer), __ATOMIC_ACQUIRE))
#define __VERIFIER_hp_clear(hazard) ((void)(hazard))
#define __VERIFIER_hp_free(hazard) ((void)(hazard))
#define __VERIFIER_hp_retire(pointer) ((void)(pointer))

#endif
