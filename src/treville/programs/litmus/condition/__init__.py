"""The clauses behind a litmus program -> condition, filter and observables."""
