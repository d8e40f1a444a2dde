"""Programs -> events: traces for the explicit engine, static events for the symbolic one, and concrete
executions for both.
"""
