"""PPC (Power) litmus tests -> IR."""
