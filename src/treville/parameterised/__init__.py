"""Safety of array-based systems for any number of processes, under SC, TSO and PSO (paper 002)."""
