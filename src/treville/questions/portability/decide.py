"""Trace and state portability (paper 004, chapter 5).

Trace: is there a difference? State: Algorithm 4. The trace query proposes states, each once; a state
that the forbidding model cannot reach is the answer; when no difference is left, everything that could have
been new was looked at, however many states are reachable.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from treville.encoding.executions import encode_program
from treville.events.execution import Execution
from treville.models.evaluate import evaluate
from treville.models.implied import implies_coherence
from treville.models.model import Model
from treville.programs.ir import Program
from treville.programs.litmus.test import LitmusTest
from treville.questions.fences import refuse_unknown_fences
from treville.questions.outcomes import outcomes
from treville.questions.portability.enumerated import ExplicitSearch, JudgedSearch
from treville.questions.portability.observation import observing_all
from treville.questions.portability.question import (
    LOST,
    NEW,
    Difference,
    Finding,
    Portability,
    Question,
    Search,
)
from treville.questions.portability.sides import (
    Side,
    compile_both,
    compiled_for,
    is_compiled,
    restricted,
    same_program,
)
from treville.questions.portability.subjects import ProgramSubject, TestSubject
from treville.questions.portability.symbolic import Method, SymbolicSearch
from treville.results import Budget, BudgetExceeded, InputError, TooLarge, Verdict
from treville.solving.solver import Clasp, satisfiable

# Beyond this many traces, selections and candidates the symbolic engine is faster (bench/portability.py).
MAX_EFFORT = 3_000
# A program whose differing executions end in more states than this has no answer about states.
MAX_STATES = 20_000


def portability(test: LitmusTest, question: Question, budget: Budget | None = None) -> Portability:
    """The answer for a litmus test; raises `BudgetExceeded` when the budget ends first."""
    started = time.monotonic()
    budget = budget or Budget()
    answer = Portability(Verdict.PASS)
    undefined = _undefined(test, question, budget)
    if undefined:
        answer.verdict, answer.reason = Verdict.UNKNOWN, undefined
    else:
        observed, sides = _sides(observed_test(test, question), question)
        _decide(partial(_compare_test, observed), sides, question, budget, answer)
    answer.seconds = time.monotonic() - started
    return answer


def program_portability(
    subject: ProgramSubject, question: Question, budget: Budget | None = None
) -> Portability:
    """The answer for a C program, which is compiled for both models."""
    started = time.monotonic()
    budget = budget or Budget()
    if question.engine == "enumerate":
        raise InputError("C programs have too many executions to list", None, "use --engine lazy")
    answer = Portability(Verdict.PASS)
    if question.notion == "trace":  # rounds of waiting make other executions, but no other states
        subject = replace(subject, program=replace(subject.program, every_round=True))
    undefined = _undefined_program(subject.program, question, budget)
    if undefined:
        answer.verdict, answer.reason = Verdict.UNKNOWN, undefined
    else:
        joint, source, target = _compiled(subject.program, question)
        _decide(
            partial(_compare_program, replace(subject, program=joint)),
            (source, target), question, budget, answer,
        )  # fmt: skip
    answer.seconds = time.monotonic() - started
    return answer


def observed_test(test: LitmusTest, question: Question) -> LitmusTest:
    """The test with the states that the question is about."""
    return observing_all(test) if question.observe == "all" else test


# -- what makes no sense to compare ----------------------------------------------------------------


def _undefined(test: LitmusTest, question: Question, budget: Budget) -> str:
    """A program that a model of C leaves undefined has any behaviour, which compares to nothing."""
    for model in (question.source, question.target):
        if any(axiom.undefined for axiom in model.axioms):
            found = outcomes(test, model, question.bound, budget)
            if found.holds is None:
                return _compares_to_nothing(model, found.flags)
    return ""


def _undefined_program(program: Program, question: Question, budget: Budget) -> str:
    for model in (question.source, question.target):
        names = {axiom.name for axiom in model.axioms if axiom.undefined}
        if names:
            own, coherent = compiled_for(program, model), implies_coherence(model)
            encoding = encode_program(own, model, question.bound, budget, coherent)
            raised = encoding.formula.either([encoding.flags[name] for name in names])
            if satisfiable(Clasp(encoding.formula), budget, [raised]):
                return _compares_to_nothing(model, sorted(names))
    return ""


def _compares_to_nothing(model: Model, flags: Sequence[str]) -> str:
    return (
        f"undefined behaviour under {model.name} ({', '.join(flags)}), which compares to nothing; "
        "treville check --property race shows data races"
    )


# -- the two sides ---------------------------------------------------------------------------------


def _sides(test: LitmusTest, question: Question) -> tuple[LitmusTest, tuple[Side, Side]]:
    """What is searched, and how the two models see it."""
    if is_compiled(test.dialect, (question.source, question.target)):
        joint, source, target = _compiled(test.program, question)
        return replace(test, program=joint), (source, target)
    for model in (question.source, question.target):
        refuse_unknown_fences(test, model)
    return test, (same_program(question.source), same_program(question.target))


def _compiled(program: Program, question: Question) -> tuple[Program, Side, Side]:
    for model in (question.source, question.target):
        own = compiled_for(program, model)
        everything = replace(own, threads=[*own.threads, *own.functions.values()])
        refuse_unknown_fences(LitmusTest("", "C", everything), model)
    return compile_both(program, question.source, question.target)


Compare = Callable[[Question, Budget, Portability, tuple[Side, Side]], Finding | None]


def _decide(
    compare: Compare, sides: tuple[Side, Side], question: Question, budget: Budget, answer: Portability
) -> None:
    source, target = sides
    directions = [(NEW, target, source)]
    if question.direction == "both":
        directions.append((LOST, source, target))
    for direction, allowing, forbidding in directions:
        found = compare(question, budget, answer, (allowing, forbidding))
        if found is not None:
            answer.findings.append(replace(found, direction=direction))
            answer.verdict = Verdict.FAIL


# -- one direction ---------------------------------------------------------------------------------


def _compare_program(
    subject: ProgramSubject, question: Question, budget: Budget, answer: Portability, sides: tuple[Side, Side]
) -> Finding | None:
    search = SymbolicSearch(subject, *sides, question.bound, budget, method(question))
    found = _search(search, question, answer)
    if found is None and answer.verdict is Verdict.PASS and not search.some_run_ends():
        answer.verdict = Verdict.UNKNOWN
        answer.reason = (
            f"no run ends within the bound {question.bound}, so nothing was compared (raise --bound)"
        )
    return found


def _compare_test(
    test: LitmusTest, question: Question, budget: Budget, answer: Portability, sides: tuple[Side, Side]
) -> Finding | None:
    """What the first model adds to the second, with the engine that was asked for."""
    asked = (test, *sides, question.bound, budget)
    compiled = bool(sides[0].name)
    if question.engine == "enumerate" and compiled:
        return _search(JudgedSearch(*asked), question, answer)
    listing = question.engine == "auto" and not compiled and question.solver == "clasp"
    if question.engine == "enumerate" or listing:
        try:
            return _search(ExplicitSearch(*asked, MAX_EFFORT if listing else None), question, answer)
        except TooLarge:
            if not listing:
                raise
    symbolic = SymbolicSearch(TestSubject(test), *sides, question.bound, budget, method(question))
    return _search(symbolic, question, answer)


def method(question: Question) -> Method:
    """How the symbolic engines are to search. Only clasp lets executions be judged while it searches."""
    lazy = {"eager": False, "lazy": True}.get(question.engine)
    if question.solver != "clasp":
        if lazy:
            raise InputError("the lazy engine needs clasp", None, "leave out --solver or use --engine eager")
        lazy = False
    return Method(lazy, question.solver)


def _search(
    search: ExplicitSearch | JudgedSearch | SymbolicSearch, question: Question, answer: Portability
) -> Finding | None:
    walk = _Walk(search, search.allowing, search.forbidding, by_state=question.notion == "state")
    for dead in (True, False) if question.dead and walk.by_state else (question.dead,):
        search.differences(walk.consider, states=walk.by_state, dead=dead)
        if walk.found is not None:
            break
    answer.engine = search.engine
    answer.differences += walk.considered
    answer.complete = answer.complete and not search.bound_reached
    return walk.found


class _Walk:
    """Considers one difference after the other until one answers the question."""

    def __init__(self, search: Search, allowing: Side, forbidding: Side, *, by_state: bool) -> None:
        self.search = search
        self.allowing = allowing
        self.forbidding = forbidding
        self.by_state = by_state
        self.found: Finding | None = None
        self.known: set[object] = set()
        self.considered = 0

    def consider(self, difference: Difference) -> bool:
        """Returns whether to go on."""
        if self.by_state and difference.state in self.known:
            return True
        self.known.add(difference.state)
        self.considered += 1
        if self.considered > MAX_STATES:
            reason = f"more than {MAX_STATES} states of new executions are reachable on both sides"
            raise BudgetExceeded(reason, "compare executions with --notion trace")
        if self.by_state and self.search.reachable(difference.state):
            return True
        self.found = self._finding(difference)
        return False

    def _finding(self, difference: Difference) -> Finding:
        """The difference as evidence, checked by the plain evaluator, whichever engine found it."""
        execution = difference.execution()
        for side, allowed in ((self.allowing, True), (self.forbidding, False)):
            if _is_consistent(side.model, side.seen(execution)) != allowed:
                raise RuntimeError(f"engine and evaluator differ on an execution under {side.model.name}")
        seen = self.forbidding.seen(execution)
        shown = _without_idle_threads(seen)
        if _is_consistent(self.forbidding.model, shown):
            shown = seen
        models = (self.allowing.model, self.forbidding.model)
        return Finding(NEW, difference.state, shown, self.allowing.seen(execution), *models)


def _is_consistent(model: Model, execution: Execution) -> bool:
    return evaluate(model, len(execution.events), execution.sets, execution.relations).consistent


def _without_idle_threads(execution: Execution) -> Execution:
    """Threads with nothing but fences, such as a `main` that creates and joins others, tell nothing."""
    busy = {event.thread for event in execution.events if event.kind != "F"}
    return restricted(execution, [event for event in execution.events if event.thread in busy])
