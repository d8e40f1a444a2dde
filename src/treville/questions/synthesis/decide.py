"""`treville synth`: which memory model explains these tests? (paper 004, chapter 6)

    tests -> executions side by side -> a method -> axioms -> a cat file -> judged on every test by the
    engine of `treville litmus`

A model counts as found when the file that was written, read again, explains every test. No model is a verdict
only where none can exist over the base, or where a finite space was exhausted.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.questions.synthesis.answer import Answer, Found, judge
from treville.questions.synthesis.by_parts import fill, fill_built_in
from treville.questions.synthesis.by_template import fill_templates
from treville.questions.synthesis.by_terms import enumerate_terms
from treville.questions.synthesis.problem import Method, Problem
from treville.questions.synthesis.sketches import Sketch
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.results import Budget
from treville.results.verdict import Verdict

# Called with every model on the way to a smaller one.
OnFound = Callable[[Found], None]


def synthesise(
    problem: Problem, vocabulary: Vocabulary, sketch: Sketch | None, budget: Budget, on_found: OnFound
) -> Answer:
    """A model that explains all requirements, or why there is none. Raises `BudgetExceeded`."""
    answer = _searched(problem, vocabulary, sketch, budget, on_found)
    if answer.found is None:
        return answer
    judged = judge(answer.found.resolved(), problem.requirements, budget, "judging the model")
    if judged.wrong:
        names = ", ".join(requirement.name for requirement in judged.wrong[:3])
        raise AssertionError(f"the search and `treville litmus` disagree on {names}")
    if judged.unknown:
        answer.verdict = Verdict.UNKNOWN
        answer.reason = f"{judged.unknown[0].name}: `treville litmus` has no answer under the model"
    else:
        answer.verdict = Verdict.PASS
    return answer


def _searched(
    problem: Problem, vocabulary: Vocabulary, sketch: Sketch | None, budget: Budget, on_found: OnFound
) -> Answer:
    """The answer of the method, not judged yet."""
    if sketch is not None:
        return fill(problem, vocabulary, sketch, budget)
    match problem.space.method:
        case Method.ENUMERATE:
            return enumerate_terms(problem, vocabulary, budget, on_found)
        case Method.PARTS:
            return fill_built_in(problem, vocabulary, budget)
        case Method.TEMPLATE:
            return fill_templates(problem, vocabulary, budget)
        case Method.AUTO:
            return _in_turn(problem, vocabulary, budget, on_found)


def _in_turn(problem: Problem, vocabulary: Vocabulary, budget: Budget, on_found: OnFound) -> Answer:
    """Small models first, then unions of many parts."""
    alone = bool(problem.space.base)
    small = enumerate_terms(problem, vocabulary, budget, on_found, brief=not alone)
    if small.found is not None or small.verdict is Verdict.FAIL or alone:
        return small
    large = fill_built_in(problem, vocabulary, budget)
    large.candidates += small.candidates
    if large.found is None and large.verdict is not Verdict.FAIL:
        large.reason = f"{small.reason}; {large.reason}"
    return large
