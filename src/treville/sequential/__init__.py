"""An unrolled program -> one sequential program with the same bounded behaviour (paper 001)."""
