"""`treville synth`: test results -> a memory model that explains them (paper 004, chapter 6)."""
