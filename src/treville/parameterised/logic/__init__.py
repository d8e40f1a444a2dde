"""Terms, literals and cubes, and whether conjunctions of literals have solutions."""
