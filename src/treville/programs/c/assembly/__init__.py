"""Inline assembly -> IR: constraints and templates; the litmus readers define the instructions."""
