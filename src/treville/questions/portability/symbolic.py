"""Differences between two models by one query (paper 004, sections 5.3 to 5.5 and 5.7.1).

The executions of the allowing model are encoded as for reachability; the forbidding model's inconsistency is
added over the same events, reads-from and coherence, so that a solution is an execution which one allows
and the other forbids. Projecting solutions to the final state makes the solver block states that it has
handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from treville.encoding.executions import Encoding
from treville.events.execution import Execution
from treville.questions.portability.deadness import deadness
from treville.questions.portability.inconsistency import inconsistency, require_consistency
from treville.questions.portability.question import Difference, OnDifference, State
from treville.questions.portability.sides import Side
from treville.questions.portability.subjects import Subject
from treville.results import Budget
from treville.solving.solution import ExecutionReader, IsTrue
from treville.solving.solver import Clasp, satisfiable


class SymbolicSearch:
    """See `question.Search`."""

    def __init__(
        self, subject: Subject, allowing: Side, forbidding: Side, bound: int, budget: Budget
    ) -> None:
        self.subject = subject
        self.allowing = allowing
        self.forbidding = forbidding
        self.bound = bound
        self.budget = budget
        self._reachability: _Reachability | None = None
        self._cuts: list[Callable[[], bool]] = []
        self._ends: Callable[[], bool] | None = None

    @property
    def bound_reached(self) -> bool:
        """Known for litmus tests; of a program, asks for executions that are cut, of the forbidding model
        too where its states were asked for: a longer one might have reached what it seems to lack."""
        return any(cut() for cut in self._cuts)

    def some_run_ends(self) -> bool:
        """Does the allowing model have a run that counts? To be asked after the differences."""
        return self._ends is None or self._ends()

    def differences(self, on_difference: OnDifference, *, states: bool, dead: bool) -> None:
        """One solver for all differences; it is asked for the next one as long as wanted."""
        encoding = encode(self.subject, self.allowing, self.bound, self.budget)
        self.forbidding.prepare(encoding.facts)
        forbidden = inconsistency(encoding, self.forbidding.view, self.budget)
        if dead:
            require_consistency(encoding, deadness(), self.budget)
        watch = self.subject.watch(encoding, states=states)
        reader = ExecutionReader(encoding)
        solver = Clasp(encoding.formula, watch.projected())
        self._ends = partial(satisfiable, solver, self.budget, [watch.ended])
        if not dead:
            self._cuts.append(partial(_is_cut, encoding, solver, self.budget))

        def on_solution(is_true: IsTrue) -> bool:
            if not watch.counts(is_true):
                return True
            state = watch.state(is_true)

            def execution() -> Execution:
                found = reader.execution(is_true)
                found.final = state
                return found

            return on_difference(Difference(state, execution))

        solver.enumerate(self.budget, on_solution, [forbidden, watch.ended])

    def reachable(self, state: State) -> bool:
        """Asks a solver of its own, which holds the consistent executions of the forbidding model."""
        if self._reachability is None:
            self._reachability = _Reachability(self.subject, self.forbidding, self.bound, self.budget)
            self._cuts.append(self._reachability.is_cut)
        return self._reachability.holds(state)


class _Reachability:
    """Can a model reach a state? The same solver answers for state after state."""

    def __init__(self, subject: Subject, side: Side, bound: int, budget: Budget) -> None:
        self.budget = budget
        encoding = encode(subject, side, bound, budget)
        self.watch = subject.watch(encoding, states=True)
        self.solver = Clasp(encoding.formula, self.watch.projected())
        self.is_cut = partial(_is_cut, encoding, self.solver, budget)

    def holds(self, state: State) -> bool:
        """Is there a consistent execution that ends in the state?"""
        found = False

        def on_solution(is_true: IsTrue) -> bool:
            nonlocal found
            found = self.watch.counts(is_true)
            return not found

        self.solver.enumerate(self.budget, on_solution, [self.watch.ended, *self.watch.assumptions(state)])
        return found


def _is_cut(encoding: Encoding, solver: Clasp, budget: Budget) -> bool:
    """Is some execution cut at the loop bound? Litmus tests have no such executions, and only know whether
    one may have been left out."""
    if not encoding.bound_reached or encoding.memory.complete:
        return encoding.bound_reached
    return satisfiable(solver, budget, [encoding.cut])


def encode(subject: Subject, side: Side, bound: int, budget: Budget) -> Encoding:
    """The executions of a subject that are consistent in a side's view."""
    encoding = subject.encode(side.model, bound, budget)
    side.prepare(encoding.facts)
    require_consistency(encoding, side.view, budget)
    return encoding
