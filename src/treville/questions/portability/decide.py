"""Trace and state portability (paper 004, chapter 5).

Trace: is there a difference? State: Algorithm 4. The trace query proposes states, each once; a state
that the forbidding model cannot reach is the answer; when no difference is left, everything that could have
been new was looked at, however many states are reachable.
"""

from __future__ import annotations

import time
from dataclasses import replace

from treville.analysis.relations import NotEncodable
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.programs.litmus.test import LitmusTest
from treville.questions.fences import refuse_unknown_fences
from treville.questions.outcomes import outcomes
from treville.questions.portability.enumerated import ExplicitSearch
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
from treville.questions.portability.symbolic import SymbolicSearch
from treville.results import Budget, TooLarge, Verdict

# Beyond this many traces, selections and candidates the symbolic engine is faster (bench/portability.py).
MAX_EFFORT = 3_000


def portability(test: LitmusTest, question: Question, budget: Budget | None = None) -> Portability:
    """The answer to the question; raises `BudgetExceeded` when the budget ends first."""
    started = time.monotonic()
    budget = budget or Budget()
    for model in (question.source, question.target):
        refuse_unknown_fences(test, model)
    answer = Portability(Verdict.PASS)
    undefined = _undefined(test, question, budget)
    if undefined:
        answer.verdict, answer.reason = Verdict.UNKNOWN, undefined
    else:
        _decide(observed_test(test, question), question, budget, answer)
    answer.seconds = time.monotonic() - started
    return answer


def observed_test(test: LitmusTest, question: Question) -> LitmusTest:
    """The test with the states that the question is about."""
    return observing_all(test) if question.observe == "all" else test


def _undefined(test: LitmusTest, question: Question, budget: Budget) -> str:
    """A program that a model of C leaves undefined has any behaviour, which compares to nothing."""
    for model in (question.source, question.target):
        if any(axiom.undefined for axiom in model.axioms):
            found = outcomes(test, model, question.bound, budget)
            if found.holds is None:
                return f"undefined behaviour under {model.name} ({', '.join(found.flags)})"
    return ""


def _decide(test: LitmusTest, question: Question, budget: Budget, answer: Portability) -> None:
    sides = [(NEW, question.target, question.source)]
    if question.direction == "both":
        sides.append((LOST, question.source, question.target))
    for direction, allowing, forbidding in sides:
        found = _one_direction(test, question, budget, answer, allowing, forbidding)
        if found is not None:
            answer.findings.append(replace(found, direction=direction))
            answer.verdict = Verdict.FAIL


def _one_direction(
    test: LitmusTest, question: Question, budget: Budget, answer: Portability,
    allowing: Model, forbidding: Model,
) -> Finding | None:  # fmt: skip
    """What the allowing model adds to the forbidding one, with the engine that was asked for."""
    limit = MAX_EFFORT if question.engine == "auto" else None
    pair = (test, allowing, forbidding, question.bound, budget)
    if question.engine != "eager":
        try:
            return _search(ExplicitSearch(*pair, limit), question, answer, "enumerate")
        except TooLarge:
            if question.engine == "enumerate":
                raise
    try:
        return _search(SymbolicSearch(*pair), question, answer, "eager")
    except NotEncodable:
        if question.engine == "eager":
            raise
        return _search(ExplicitSearch(*pair), question, answer, "enumerate")


def _search(
    search: ExplicitSearch | SymbolicSearch, question: Question, answer: Portability, engine: str
) -> Finding | None:
    walk = _Walk(search, search.allowing, search.forbidding, by_state=question.notion == "state")
    for dead in (True, False) if question.dead else (False,):
        if dead or walk.by_state or not question.dead:
            search.differences(walk.consider, states=walk.by_state, dead=dead)
        if walk.found is not None:
            break
    answer.engine = engine
    answer.differences += walk.considered
    answer.complete = answer.complete and not search.bound_reached
    return walk.found


class _Walk:
    """Considers one difference after the other until one answers the question."""

    def __init__(self, search: Search, allowing: Model, forbidding: Model, *, by_state: bool) -> None:
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
        if self.by_state and self.search.reachable(difference.state):
            return True
        self.found = self._finding(difference)
        return False

    def _finding(self, difference: Difference) -> Finding:
        """The difference as evidence, checked by the plain evaluator, whichever engine found it."""
        execution = difference.execution()
        for model, allowed in ((self.allowing, True), (self.forbidding, False)):
            judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
            if judged.consistent != allowed:
                raise RuntimeError(f"the engine and the evaluator differ on an execution under {model.name}")
        return Finding(NEW, difference.state, execution, self.allowing, self.forbidding)
