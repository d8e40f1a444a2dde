"""AArch64 litmus tests -> IR."""
