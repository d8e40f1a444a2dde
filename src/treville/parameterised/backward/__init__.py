"""Backward reachability over cubes (paper 002, section 4), with invariants guessed."""
