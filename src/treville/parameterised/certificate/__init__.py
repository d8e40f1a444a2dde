"""An independent check of a PASS, by z3."""
