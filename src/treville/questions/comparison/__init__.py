"""`treville compare`: the smallest litmus tests that one model allows and another forbids."""

from treville.questions.comparison.search import Difference, Scope, all_differences, smallest_difference

__all__ = ["Difference", "Scope", "all_differences", "smallest_difference"]
