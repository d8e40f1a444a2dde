"""The lazy engine: the solver proposes executions, the evaluator judges them, reasons rule out more.

`reasons` finds base facts that make an axiom fail whatever else holds; `propagator` joins the search.
"""
