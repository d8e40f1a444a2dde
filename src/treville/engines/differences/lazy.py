"""Both models enforced on executions that the solver proposes, instead of in the formula.

The allowing model: an execution that violates it is ruled out by the base facts to blame (`solving.lazy`),
which rules out many others. The forbidding model: an execution that it allows is no difference, and is
ruled out alone: consistency has no part of an execution as its reason. So axioms that are simple are guessed
to be violated all the same, and only those that are not are judged.
"""

from __future__ import annotations

from treville.encoding.acyclicity import Encoding
from treville.events.execution import Execution
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.models.evaluate import evaluate
from treville.models.model import Axiom
from treville.passes.joint import Side
from treville.solving.lazy.propagator import LazyModel
from treville.solving.solution import ExecutionReader, IsTrue


class SideReader(ExecutionReader):
    """Reads executions off solutions, with what the view of a side reads."""

    def __init__(self, encoding: Encoding, side: Side) -> None:
        super().__init__(encoding)
        self.side = side

    def execution(self, is_true: IsTrue) -> Execution:
        """The execution of a solution."""
        return self.side.widened(super().execution(is_true))


class LazyModels(LazyModel):
    """Rules out executions that the allowing model forbids, and where `judged` holds those that the
    forbidding model allows. One propagator for both: clingo asks no other one again after a clause."""

    def __init__(self, encoding: Encoding, allowing: Side, *, enforced: bool) -> None:
        """`enforced`: does the formula hold every axiom of the allowing model already?"""
        super().__init__(encoding, allowing.view)
        self.reader = SideReader(encoding, allowing)
        self.enforced = enforced
        self.judgement: Judgement | None = None

    def _blame(self, is_true: IsTrue) -> list[Literal] | None:
        blamed = None if self.enforced else super()._blame(is_true)
        if blamed is None and self.judgement is not None:
            return self.judgement.blame(is_true)
        return blamed


class Judgement:
    """Where the literal `judged` holds, the forbidding model's axioms are judged: one is violated. After
    `limit` executions nothing is judged any more, and it is `exhausted`."""

    def __init__(self, encoding: Encoding, forbidding: Side, axioms: list[Axiom]) -> None:
        self.encoding = encoding
        self.view = forbidding.view
        self.axioms = axioms
        self.reader = SideReader(encoding, forbidding)
        self.judged = encoding.formula.choice()
        self.literals = self._distinguishing_literals()
        self.limit: int | None = None
        self.executions = 0
        self.exhausted = False

    def _distinguishing_literals(self) -> list[Literal]:
        """Executions that agree on these are the same to every model."""
        memory, facts = self.encoding.memory, self.encoding.facts
        found = set(memory.executed)
        for name, literal in (("rf", memory.reads_from), ("co", memory.coherence)):
            found |= {literal(*pair) for pair in facts.relations[name].may.pairs()}
        loc = facts.relations["loc"]
        found |= {memory.values.same_address(*pair) for pair in (loc.may - loc.must).pairs()}
        found |= {literal for literals in self.reader.conditions.values() for literal in literals.values()}
        return sorted(found - {TRUE, FALSE})

    def blame(self, is_true: IsTrue) -> list[Literal] | None:
        """The execution, if none of the axioms is violated although `judged` says so."""
        if not is_true(self.judged) or self.exhausted or self._violated(self.reader.execution(is_true)):
            return None
        self.executions += 1
        self.exhausted = self.limit is not None and self.executions >= self.limit
        return [self.judged, *(literal if is_true(literal) else -literal for literal in self.literals)]

    def _violated(self, execution: Execution) -> bool:
        found = evaluate(
            self.view, len(execution.events), execution.sets, execution.relations, everything=False
        )
        return any(axiom in self.axioms for axiom in found.violated)
