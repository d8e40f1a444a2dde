"""`treville compare`: the smallest litmus tests that one model allows and another forbids."""

from treville.questions.comparison.search import Difference, Scope, smallest_difference

__all__ = ["Difference", "Scope", "smallest_difference"]
