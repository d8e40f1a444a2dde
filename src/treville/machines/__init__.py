"""A program under SC, TSO or PSO -> an answer by exploring every state of a machine with store buffers."""
