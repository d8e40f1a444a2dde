"""Differences by one query: what one model allows and the other forbids (paper 004, sections 5.3 to 5.5)."""

from __future__ import annotations

from treville.engines.contract import YES, Engine, Suitability
from treville.engines.differences.symbolic import Method, SymbolicSearch
from treville.engines.differences.task import Comparison, DifferenceTask
from treville.engines.differences.walk import compare
from treville.engines.features import OF_KERNELS, OF_MODELS, OF_PROGRAMS, OF_TESTS, OF_THREADS
from treville.results import Budget


class Differences(Engine[DifferenceTask, Comparison]):
    """`lazy`: both models judge the executions found, but for simple axioms; not: both are encoded; None:
    both are encoded, and judge where their formulas would be large."""

    supports = OF_THREADS | OF_KERNELS | OF_TESTS | OF_PROGRAMS | OF_MODELS

    def __init__(self, lazy: bool | None = None, solver: str = "clasp") -> None:
        self.method = Method(lazy, solver)
        self.name = {None: "formulas", True: "lazy", False: "eager"}[lazy]
        if solver != "clasp":
            self.name = f"{self.name}:{solver}"

    def fits(self, task: DifferenceTask) -> Suitability:
        """Only clasp lets executions be judged while it searches."""
        del task
        impossible = self.method.lazy is not False and self.method.solver != "clasp"
        return Suitability("the lazy engine needs clasp") if impossible else YES

    def search(self, task: DifferenceTask, budget: Budget) -> Comparison:
        """One solver for all differences."""
        sides = (task.allowing, task.forbidding)
        return compare(task, SymbolicSearch(task.subject, *sides, task.bound, task.budget, self.method))
