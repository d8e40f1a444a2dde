"""Petri nets: is a marking unreachable (uncoverable), with a proof that a separate checker accepts.

Readers (`spec`, `pnml`) make a `Problem`; `decide.answer` runs the methods under one budget and returns
an `Answer` that carries a certificate or a firing sequence, both checked by `checking` with exact
integers. Half spaces follow the thesis's chapter on Petri net invariants (paper 004, chapter 7).
"""
