"""Formulas -> solutions: clasp, SAT solvers and z3 behind one interface."""
