"""`treville port`: does a program behave under one model as under another? (paper 004, chapter 5)

    program -> compiled for both models -> a task for each direction -> engines -> what differs

A program that a model of C leaves undefined has any behaviour, which compares to nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from treville.encoding.acyclicity import encode_program
from treville.engines.contract import GaveUp, Refuted
from treville.engines.differences.subjects import ProgramSubject, Subject, TestSubject
from treville.engines.differences.task import LOST, NEW, difference_task
from treville.engines.registry import DIFFERENCES
from treville.engines.schedule import DIFFERENCE_SLICES, Slice, run
from treville.engines.session import Session
from treville.models.implied import implies_coherence
from treville.models.model import Model
from treville.passes.bounded import facts_of_program
from treville.passes.fences import refuse_unknown_fences
from treville.passes.joint import Side, compile_both, compiled_for, is_compiled, same_program
from treville.passes.observing import observing_all
from treville.programs.ir import Program
from treville.programs.litmus.test import LitmusTest
from treville.questions.mixed_sizes import refuse_parts
from treville.questions.outcomes import outcomes
from treville.questions.portability.question import Portability, Question
from treville.records import replace
from treville.results import Budget, BudgetExceeded, InputError, Verdict


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
        _decide(TestSubject(observed), sides, question, budget, answer)
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
    refuse_parts(subject.program)
    answer = Portability(Verdict.PASS)
    if question.notion == "trace":  # iterations of waiting make other executions, but no other states
        subject = replace(subject, program=replace(subject.program, every_iteration=True))
    undefined = _undefined_program(subject.program, question, budget)
    if undefined:
        answer.verdict, answer.reason = Verdict.UNKNOWN, undefined
    else:
        joint, *sides = _compiled(subject.program, question)
        _decide(replace(subject, program=joint), (sides[0], sides[1]), question, budget, answer)
    answer.seconds = time.monotonic() - started
    return answer


def observed_test(test: LitmusTest, question: Question) -> LitmusTest:
    """The test with the states that the question is about."""
    return observing_all(test) if question.observe == "all" else test


# -- one direction after the other -------------------------------------------------------------------------


def _decide(
    subject: Subject, sides: tuple[Side, Side], question: Question, budget: Budget, answer: Portability
) -> None:
    source, target = sides
    directions = [(NEW, target, source)]
    if question.direction == "both":
        directions.append((LOST, source, target))
    for direction, *pair in directions:
        task = difference_task(
            subject, direction, (pair[0], pair[1]), by_state=question.notion == "state", dead=question.dead,
            bound=question.bound, budget=budget,
        )  # fmt: skip
        found = run(task, _slices(question), DIFFERENCES, refusals_end=True).answer
        if isinstance(found, GaveUp) and found.bound is None:
            raise found.error or BudgetExceeded(found.reason, found.advice)
        answer.engine = found.stats["engine"]
        answer.differences += found.stats["differences"]
        answer.complete = answer.complete and found.stats["complete"]
        if isinstance(found, Refuted):
            answer.findings.append(found.evidence)
            answer.verdict = Verdict.FAIL
        elif isinstance(found, GaveUp) and answer.verdict is Verdict.PASS:
            answer.verdict, answer.reason = Verdict.UNKNOWN, f"{found.reason} ({found.advice})"


def _slices(question: Question) -> tuple[Slice, ...]:
    """The engines that the question asks for, by their names in the registry."""
    if question.solver != "clasp":
        if question.engine == "lazy":
            raise InputError("the lazy engine needs clasp", None, "leave out --solver or use --engine eager")
        by_solver = Slice(f"eager:{question.solver}")
        return (Slice("enumerate"), Slice("judged")) if question.engine == "enumerate" else (by_solver,)
    if question.engine == "enumerate":
        return (Slice("enumerate"), Slice("judged"))
    return DIFFERENCE_SLICES if question.engine == "auto" else (Slice(question.engine),)


# -- what makes no sense to compare ----------------------------------------------------------------


def _undefined(test: LitmusTest, question: Question, budget: Budget) -> str:
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
            facts = facts_of_program(
                compiled_for(program, model), question.bound, budget, implies_coherence(model)
            )
            encoding = encode_program(facts, model, budget)
            raised = encoding.formula.either([encoding.flags[name] for name in names])
            if Session(encoding, model, readable=False).exists([raised], budget):
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
        refuse_unknown_fences(test.program, test.dialect, model)
    return test, (same_program(question.source), same_program(question.target))


def _compiled(program: Program, question: Question) -> tuple[Program, Side, Side]:
    for model in (question.source, question.target):
        refuse_unknown_fences(compiled_for(program, model), "C", model)
    return compile_both(program, question.source, question.target)
