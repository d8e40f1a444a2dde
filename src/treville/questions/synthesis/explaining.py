"""A model that was found -> its cat file, with a comment for each axiom: which tests need it, and a cycle."""

from __future__ import annotations

from treville.enumeration.concrete import to_execution
from treville.models.evaluate import evaluate
from treville.models.model import Axiom, Model
from treville.questions.synthesis.answer import Found
from treville.questions.synthesis.evaluation import Evaluator
from treville.questions.synthesis.listing import Evidence, Listed, list_executions
from treville.questions.synthesis.problem import Problem
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.questions.synthesis.writing import file_text
from treville.results import Budget, BudgetExceeded
from treville.witness.explanation import explain

_NAMED = 3
# Executions of more tests are not listed again for comments' sake, but those of some of them.
_TESTS = 400


def commented(found: Found, problem: Problem, source: str, budget: Budget) -> str:
    """The file of a model, with why each axiom is there."""
    model = found.resolved()
    comment = ["Found by `treville synth` from the results of tests", f"({source})."]
    try:
        evidence = _evidence(problem, budget)
        comments = {axiom.name: _why(model, axiom, evidence) for axiom in model.constraints()}
    except BudgetExceeded:
        comments = {}
    return file_text("Synthesised", comment, found.prelude, _with_comments(found.body, comments))


def _evidence(problem: Problem, budget: Budget) -> Evidence:
    """Forbidden executions, of at most so many tests."""
    forbidden = [each for each in problem.requirements if not each.allowed]
    step = max(1, len(forbidden) // _TESTS)
    return list_executions(forbidden[::step], Vocabulary(problem.dialect).given(), budget)


def _why(model: Model, axiom: Axiom, evidence: Evidence) -> str:
    """Which tests only this axiom forbids, and the cycle of one of them."""
    world = evidence.world
    evaluator = Evaluator(model, world)
    evaluator.run()
    alone = evidence.forbidden & evaluator.failing(axiom)
    for other in model.constraints():
        if other is not axiom:
            alone &= ~evaluator.failing(other)
    numbers = world.numbers(alone)
    if not numbers:
        return "Assumed: no test contradicts it, and none needs it alone."
    names = list(dict.fromkeys(each.name for number in numbers for each in evidence.blame[number]))
    shortest = min(numbers, key=lambda number: world.listed[number].n)
    cycle = _cycle(model, axiom, world.listed[shortest])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"Needed by {', '.join(names[:_NAMED])}{more}; in {world.listed[shortest].test.name}: {cycle}"


def _cycle(model: Model, axiom: Axiom, listed: Listed) -> str:
    """The steps that the axiom forbids, as names of relations."""
    execution = to_execution(listed.test, listed.candidate)
    evaluation = evaluate(model, len(execution.events), execution.sets, execution.relations)
    again = next(each for each in evaluation.violated if each.node == axiom.node and each.kind is axiom.kind)
    hops = explain(execution, model, evaluation.values, again).hops()
    return "; ".join(hop.label for hop in hops)


def _with_comments(body: str, comments: dict[str, str]) -> str:
    """The comment of an axiom before its line."""
    out = []
    for line in body.splitlines():
        name = line.rpartition(" as ")[2]
        if name in comments and line.split(" ", 1)[0] in ("acyclic", "irreflexive", "empty"):
            out.append(f"(* {comments[name]} *)".replace("*)", "* )", comments[name].count("*)")))
        out.append(line)
    return "\n".join(out) + "\n"
