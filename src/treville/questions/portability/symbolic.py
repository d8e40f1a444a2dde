"""Differences between two models by one query (paper 004, sections 5.3 to 5.5 and 5.7.1).

The executions of the allowing model are encoded as for reachability; the forbidding model's inconsistency is
added over the same events, reads-from and coherence, so that a solution is an execution which one allows
and the other forbids. Projecting solutions to the final state makes the solver block states that it has
handed over. Axioms may be left to the lazy engine (`lazy`) on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from treville.analysis.relations import NotEncodable
from treville.encoding.executions import Encoding
from treville.encoding.formula import TooManyRules
from treville.events.execution import Execution
from treville.models.model import Axiom
from treville.questions.portability.certificates import with_certificates
from treville.questions.portability.deadness import deadness
from treville.questions.portability.inconsistency import constraints, inconsistency, require_consistency
from treville.questions.portability.lazy import Judgement, LazyModels
from treville.questions.portability.question import CERTIFICATES, Difference, OnDifference, State
from treville.questions.portability.sides import Side
from treville.questions.portability.subjects import Subject
from treville.results import Budget
from treville.solving.outcomes import is_simple
from treville.solving.siblings import make_solver
from treville.solving.solution import ExecutionReader, IsTrue
from treville.solving.solver import Clasp, Solver, satisfiable

# Beyond this many rules for the allowing model it is enforced lazily (bench/portability.py).
MAX_RULES = 40_000


@dataclass(frozen=True, slots=True)
class Method:
    """How to search. `lazy`: both models judge the executions found, but for simple axioms; not: both are
    encoded; None: both are encoded, and the allowing model judges where its formula would be large."""

    lazy: bool | None = None
    solver: str = "clasp"

    @property
    def max_rules(self) -> int | None:
        """How large the allowing model's formula may be."""
        return MAX_RULES if self.lazy is None and self.solver == "clasp" else None


class SymbolicSearch:
    """See `question.Search`."""

    def __init__(
        self, subject: Subject, allowing: Side, forbidding: Side, bound: int, budget: Budget, method: Method
    ) -> None:
        self.subject = subject
        self.allowing = allowing
        self.forbidding = forbidding
        self.bound = bound
        self.budget = budget
        self.method = method
        self.lazily = False
        self._reachability: _Reachability | None = None
        self._cuts: list[Callable[[], bool]] = []
        self._ends: Callable[[], bool] | None = None

    @property
    def engine(self) -> str:
        """Which engine was used."""
        return "lazy" if self.lazily else "eager"

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
        allowed = Consistent(self.subject, self.allowing, self.bound, self.budget, self.method)
        encoding = allowed.encoding
        forbidden = self._forbidden(allowed)
        self.lazily |= allowed.propagator is not None
        if dead:
            require_consistency(encoding, deadness(), constraints(deadness()), self.budget)
        watch = self.subject.watch(encoding, states=states)
        reader = ExecutionReader(encoding)
        solver = allowed.solver(watch.projected())
        self._ends = partial(satisfiable, solver, self.budget, [watch.ended])
        if not (dead and states):  # where states are asked for, all executions come after the dead ones
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

    def _forbidden(self, allowed: Consistent) -> int:
        """A literal that holds in solutions which the forbidding model forbids."""
        encoding, view = allowed.encoding, self.forbidding.view
        self.forbidding.prepare(encoding.facts)
        axioms = constraints(view)
        guessed = [axiom for axiom in axioms if not self.method.lazy or is_simple(view, axiom)]
        violated = []
        try:
            violated.append(inconsistency(encoding, view, guessed, self.budget))
        except NotEncodable:
            if self.method.lazy is False:
                raise
            guessed = []
        judged = [axiom for axiom in axioms if axiom not in guessed]
        if judged:
            violated.append(allowed.judge_also(Judgement(encoding, self.forbidding, judged)))
        return encoding.formula.either(violated)

    def reachable(self, state: State) -> bool:
        """Asks a solver of its own, which holds the consistent executions of the forbidding model."""
        if self._reachability is None:
            allowed = Consistent(self.subject, self.forbidding, self.bound, self.budget, self.method)
            self._reachability = _Reachability(allowed, self.subject, self.budget)
            self._cuts.append(self._reachability.is_cut)
        return self._reachability.holds(state)


class Consistent:
    """The executions of a subject that are consistent in a side's view: those of the encoding that the
    propagator, if there is one, does not reject."""

    def __init__(self, subject: Subject, side: Side, bound: int, budget: Budget, method: Method) -> None:
        self.method = method
        self.side = side
        self.propagator: LazyModels | None = None
        axioms = constraints(side.view)
        kept = [axiom for axiom in axioms if not method.lazy or is_simple(side.view, axiom)]
        simple = [axiom for axiom in axioms if is_simple(side.view, axiom)]
        try:
            self.encoding = self._encode(subject, side, bound, budget, kept, method.max_rules)
        except TooManyRules:
            kept = simple
            self.encoding = self._encode(subject, side, bound, budget, kept, None)
        except NotEncodable:
            if method.lazy is False:
                raise
            kept = []
            self.encoding = self._encode(subject, side, bound, budget, kept, None)
        if len(kept) < len(axioms):
            self.propagator = LazyModels(self.encoding, side, enforced=False)

    def judge_also(self, judgement: Judgement) -> int:
        """Keep only executions that another model forbids, where the literal returned holds."""
        if self.propagator is None:
            self.propagator = LazyModels(self.encoding, self.side, enforced=True)
        self.propagator.judgement = judgement
        return judgement.judged

    @staticmethod
    def _encode(
        subject: Subject, side: Side, bound: int, budget: Budget, axioms: list[Axiom], limit: int | None
    ) -> Encoding:
        encoding = subject.encode(side.model, bound, budget)
        side.prepare(encoding.facts)
        formula = encoding.formula
        formula.max_rules = None if limit is None else len(formula.rules) + limit
        require_consistency(encoding, side.view, axioms, budget)
        formula.max_rules = None
        return encoding

    def solver(self, projected: list[int]) -> Solver:
        """A solver that holds them; nothing may be added to the formula any more."""
        if self.method.solver == CERTIFICATES:
            return Clasp(with_certificates(self.encoding.formula), projected)
        solver = make_solver(self.method.solver, self.encoding.formula, projected)
        if self.propagator is not None:
            assert isinstance(solver, Clasp)
            solver.register(self.propagator)
        return solver


class _Reachability:
    """Can a model reach a state? The same solver answers for state after state."""

    def __init__(self, allowed: Consistent, subject: Subject, budget: Budget) -> None:
        self.budget = budget
        self.watch = subject.watch(allowed.encoding, states=True)
        self.solver = allowed.solver(self.watch.projected())
        self.is_cut = partial(_is_cut, allowed.encoding, self.solver, budget)

    def holds(self, state: State) -> bool:
        """Is there a consistent execution that ends in the state?"""
        found = False

        def on_solution(is_true: IsTrue) -> bool:
            nonlocal found
            found = self.watch.counts(is_true)
            return not found

        self.solver.enumerate(self.budget, on_solution, [self.watch.ended, *self.watch.assumptions(state)])
        return found


def _is_cut(encoding: Encoding, solver: Solver, budget: Budget) -> bool:
    """Is some execution cut at the loop bound? Litmus tests have no such executions, and only know whether
    one may have been left out."""
    if not encoding.bound_reached or encoding.memory.complete:
        return encoding.bound_reached
    return satisfiable(solver, budget, [encoding.cut])
