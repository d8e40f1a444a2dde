"""Events, facts and axioms -> formulas."""
