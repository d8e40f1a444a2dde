/* The interface of Dartagnan for annotated programs: arbitrary values, assumptions, loops that wait. */
#ifndef TREVILLE_DAT3M_H
#define TREVILLE_DAT3M_H

#include <stdint.h>

int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
void __VERIFIER_loop_bound(int);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);

#define await_while(condition) while (condition)

#endif
