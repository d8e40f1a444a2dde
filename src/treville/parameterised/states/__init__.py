"""Finite instances of a system, state by state: what is reachable, and runs as evidence."""
