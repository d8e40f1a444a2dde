"""A program under RC11 -> an answer by exploring a machine whose threads have views of all writes so far."""
