"""Differences between two models by one query (paper 004, sections 5.3 to 5.5 and 5.7.1).

The executions of the allowing model are encoded as for reachability; the forbidding model's inconsistency is
added over the same events, reads-from and coherence, so that a solution is an execution which one allows
and the other forbids. Projecting solutions to the final state makes the solver block states that it has
handed over. Axioms may be left to the lazy engine (`lazy`) on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from treville.analysis.relations import NotEncodable
from treville.encoding.acyclicity import Encoding
from treville.encoding.simplicity import is_simple
from treville.engines.contract import State
from treville.engines.differences.certificates import with_certificates
from treville.engines.differences.deadness import deadness
from treville.engines.differences.inconsistency import inconsistency, require_consistency
from treville.engines.differences.lazy import Judgement, LazyModels
from treville.engines.differences.subjects import Subject, Watch
from treville.engines.differences.task import Difference, OnDifference
from treville.events.execution import Execution
from treville.formulas.formula import TRUE, Formula, Literal, TooManyRules
from treville.models.model import Axiom
from treville.passes.joint import Side
from treville.records import dataclass, replace
from treville.results import Budget, TooLarge
from treville.solving.back_ends.by_name import BackEnd, make_solver
from treville.solving.back_ends.clasp import Clasp, Solver, satisfiable
from treville.solving.solution import ExecutionReader, IsTrue

# Beyond this many rules for a model its axioms are enforced lazily, and beyond this many executions that had
# to be judged one by one they are encoded after all (bench/portability.py).
MAX_RULES = 40_000
MAX_JUDGED = 3_000
CERTIFICATES = "certificates"  # clasp, with recursive relations by certificates instead of its rules


@dataclass(frozen=True, slots=True)
class Method:
    """How to search. `lazy`: both models judge the executions found, but for simple axioms; not: both are
    encoded; None: both are encoded, and judge where their formulas would be large."""

    lazy: bool | None = None
    solver: str = "clasp"

    @property
    def max_rules(self) -> int | None:
        """How large the formula of a model may be."""
        return MAX_RULES if self.lazy is None and self.solver == "clasp" else None


class _TooManyJudged(TooLarge):
    """Judging executions one by one leads nowhere."""


class SymbolicSearch:
    """See `task.Search`."""

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
        search = partial(self._search, on_difference, states=states, dead=dead)
        if self.method.max_rules is None:
            search(judging=bool(self.method.lazy))
            return
        try:
            search(judging=False, max_rules=self.method.max_rules)
        except TooManyRules:
            try:
                search(judging=True, max_judged=MAX_JUDGED)
            except _TooManyJudged:
                search(judging=False)

    def _search(
        self, on_difference: OnDifference, *, states: bool, dead: bool, judging: bool,
        max_rules: int | None = None, max_judged: int | None = None,
    ) -> None:  # fmt: skip
        allowed = Consistent(self.subject, self.allowing, self.bound, self.budget, self.method)
        forbidden = self._forbidden(allowed, judging, max_rules)
        self.lazily = allowed.propagator is not None
        if dead:
            require_consistency(allowed.encoding, deadness(), deadness().constraints(), self.budget)
        watch = self.subject.watch(allowed.encoding, states=states)
        reader = ExecutionReader(allowed.encoding)
        solver = allowed.solver(watch.projected())
        judgement = allowed.judgement
        if judgement is not None:
            judgement.limit = max_judged

        def on_solution(is_true: IsTrue) -> bool:
            if judgement is not None and judgement.exhausted:
                return False
            return not watch.counts(is_true) or on_difference(_difference(watch, reader, is_true))

        solver.enumerate(self.budget, on_solution, [forbidden, watch.ended])
        if judgement is not None and judgement.exhausted:
            raise _TooManyJudged(f"more than {max_judged} executions had to be judged")
        self._remember(allowed, solver, watch, cuts=not (dead and states))

    def _remember(self, allowed: Consistent, solver: Solver, watch: Watch, *, cuts: bool) -> None:
        """What may be asked later. Where states are asked for, all executions come after the dead ones, so
        only then cuts tell something."""
        unjudged = [] if allowed.judgement is None else [-allowed.judgement.judged]
        if watch.ended != TRUE:
            self._ends = partial(satisfiable, solver, self.budget, [watch.ended, *unjudged])
        if cuts:
            self._cuts.append(partial(_is_cut, allowed.encoding, solver, self.budget, unjudged))

    def _forbidden(self, allowed: Consistent, judging: bool, max_rules: int | None) -> Literal:
        """A literal that holds in solutions which the forbidding model forbids."""
        encoding, view = _seen_by(self.forbidding, allowed.encoding), self.forbidding.view
        axioms = view.constraints()
        guessed = [axiom for axiom in axioms if not judging or is_simple(view, axiom)]
        violated = []
        try:
            with _at_most(encoding.formula, max_rules):
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
        axioms = side.view.constraints()
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

    @property
    def judgement(self) -> Judgement | None:
        """What judges another model's axioms, if anything does."""
        return None if self.propagator is None else self.propagator.judgement

    def judge_also(self, judgement: Judgement) -> Literal:
        """Keep only executions that another model forbids, where the literal returned holds."""
        if self.propagator is None:
            self.propagator = LazyModels(self.encoding, self.side, enforced=True)
        self.propagator.judgement = judgement
        return judgement.judged

    @staticmethod
    def _encode(
        subject: Subject, side: Side, bound: int, budget: Budget, axioms: list[Axiom], limit: int | None
    ) -> Encoding:
        encoding = _seen_by(side, subject.encode(side.model, bound, budget))
        with _at_most(encoding.formula, limit):
            require_consistency(encoding, side.view, axioms, budget)
        return encoding

    def solver(self, projected: list[Literal]) -> Solver:
        """A solver that holds them; nothing may be added to the formula any more."""
        if self.method.solver == CERTIFICATES:
            return Clasp(with_certificates(self.encoding.formula), projected)
        solver = make_solver(BackEnd(self.method.solver), self.encoding.formula, projected)
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
        self.is_cut = partial(_is_cut, allowed.encoding, self.solver, budget, [])

    def holds(self, state: State) -> bool:
        """Is there a consistent execution that ends in the state?"""
        found = False

        def on_solution(is_true: IsTrue) -> bool:
            nonlocal found
            found = self.watch.counts(is_true)
            return not found

        self.solver.enumerate(self.budget, on_solution, [self.watch.ended, *self.watch.assumptions(state)])
        return found


def _difference(watch: Watch, reader: ExecutionReader, is_true: IsTrue) -> Difference:
    state = watch.state(is_true)

    def execution() -> Execution:
        return replace(reader.execution(is_true), final=state)

    return Difference(state, execution)


def _seen_by(side: Side, encoding: Encoding) -> Encoding:
    """The same formula, with the facts that the side's view reads."""
    return replace(encoding, facts=side.prepared(encoding.facts))


@contextmanager
def _at_most(formula: Formula, rules: int | None) -> Iterator[None]:
    """Within this no more rules than that may be added."""
    formula.max_rules = None if rules is None else len(formula.rules) + rules
    try:
        yield
    finally:
        formula.max_rules = None


def _is_cut(encoding: Encoding, solver: Solver, budget: Budget, assumed: list[Literal]) -> bool:
    """Is some execution cut at the loop bound? Litmus tests have no such executions, and only know whether
    one may have been left out."""
    if not encoding.bound_reached or encoding.memory.complete:
        return encoding.bound_reached
    return satisfiable(solver, budget, [encoding.cut, *assumed])
