"""Differences by listing every execution of one model and judging it by the other: for small litmus tests.

A unit of work is a trace, a selection of traces or a candidate. It cannot go on after it gave up.
"""

from __future__ import annotations

from treville.engines.contract import YES, Engine, Suitability
from treville.engines.differences.enumerated import ExplicitSearch, JudgedSearch
from treville.engines.differences.subjects import TestSubject
from treville.engines.differences.task import Comparison, DifferenceTask
from treville.engines.differences.walk import compare
from treville.engines.features import OF_KERNELS, OF_MODELS, OF_TESTS, OF_THREADS
from treville.results import Budget


class Listing(Engine[DifferenceTask, Comparison]):
    """Both models see the same program."""

    name = "enumerate"
    supports = OF_THREADS | OF_KERNELS | OF_TESTS | OF_MODELS

    def fits(self, task: DifferenceTask) -> Suitability:
        """Is it one program to both models?"""
        if not isinstance(task.subject, TestSubject):
            return Suitability("C programs have too many executions to list")
        return Suitability("each model sees its own compilation") if task.compiled else YES

    def search(self, task: DifferenceTask, budget: Budget) -> Comparison:
        """List the executions of the allowing model."""
        assert isinstance(task.subject, TestSubject)
        sides = (task.allowing, task.forbidding)
        search = ExplicitSearch(task.subject.test, *sides, task.bound, task.budget, budget.units)
        return compare(task, search)


class Judging(Engine[DifferenceTask, Comparison]):
    """Each model sees its own compilation: every candidate is judged by the relation algebra, so this is for
    small programs and for checking the other engines."""

    name = "judged"
    supports = OF_THREADS | OF_KERNELS | OF_TESTS | OF_MODELS

    def fits(self, task: DifferenceTask) -> Suitability:
        """Is it a test that was compiled for both models?"""
        if not isinstance(task.subject, TestSubject):
            return Suitability("C programs have too many executions to list")
        return YES if task.compiled else Suitability("both models see the same program")

    def search(self, task: DifferenceTask, budget: Budget) -> Comparison:
        """List all candidates."""
        assert isinstance(task.subject, TestSubject)
        sides = (task.allowing, task.forbidding)
        search = JudgedSearch(task.subject.test, *sides, task.bound, task.budget)
        return compare(task, search)
