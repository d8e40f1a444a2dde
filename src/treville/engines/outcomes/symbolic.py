"""Final states by the default encoding, eagerly or lazily: what suits; `symbolic_search` searches."""

from __future__ import annotations

from treville.engines.contract import YES, Engine, GaveUp, States, Suitability
from treville.engines.features import OF_KERNELS, OF_MODELS, OF_TESTS, OF_THREADS, Feature
from treville.engines.task import OutcomeTask
from treville.results import Budget
from treville.solving.back_ends.by_name import BackEnd


class Symbolic(Engine[OutcomeTask, States]):
    """Encodes a model eagerly, or lazily all but its simple axioms. With `count`, every execution counts."""

    supports = OF_THREADS | OF_KERNELS | OF_TESTS | OF_MODELS

    def __init__(self, *, lazy: bool = False, back_end: BackEnd = BackEnd.CLASP, count: bool = False) -> None:
        self.lazy = lazy
        self.back_end = back_end
        self.count = count
        self.name = "lazy" if lazy else "eager"
        if back_end is not BackEnd.CLASP:
            self.name = f"{self.name}:{back_end}"

    def fits(self, task: OutcomeTask) -> Suitability:
        """Only clasp knows flags, and lets executions be judged while it searches."""
        if self.back_end is BackEnd.CLASP:
            return YES
        if self.lazy:
            return Suitability(f"{self.back_end} cannot enforce a model lazily")
        flags = Feature.FLAGS in task.features
        return Suitability(f"{self.back_end} does not list flags of the model") if flags else YES

    def search(self, task: OutcomeTask, budget: Budget) -> States | GaveUp:
        """All final states of the test."""
        from treville.engines.outcomes.symbolic_search import list_states

        return list_states(task, budget, self.back_end, lazy=self.lazy, count=self.count)
