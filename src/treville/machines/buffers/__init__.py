"""Programs under SC, TSO and PSO: a machine with store buffers, and what is asked about its states."""
