"""Formulas, between what is encoded and what is solved: programs and histories become them, solvers take
them."""
