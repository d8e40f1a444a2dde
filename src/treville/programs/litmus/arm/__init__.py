"""ARM litmus tests (ARMv7, and ARMv8 in AArch32) -> IR."""
