"""Formulas -> answers: solver back ends, the lazy engine, the explicit engine, and the brute-force oracle."""
