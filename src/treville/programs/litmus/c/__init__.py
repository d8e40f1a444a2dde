"""Litmus tests in C -> IR: with C11 atomics, or with the primitives of the Linux kernel."""
