"""RISC-V litmus tests -> IR."""
