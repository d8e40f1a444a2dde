"""Models of template relations: counterexamples for a solver that chooses whole terms (section 6.4.2).

The thesis describes this loop and does not have it. Each axiom is acyclicity of a template; every allowed
test that was seen to fail has a witness in which all of them hold, every forbidden execution that was seen to
be allowed has a cycle in one of them. Deeper trees and more axioms follow where there is no solution."""

from __future__ import annotations

from collections.abc import Sequence

from treville.formulas.formula import Formula, Literal
from treville.models.model import AxiomKind, Operator
from treville.questions.synthesis.answer import Answer, Found
from treville.questions.synthesis.by_size import Known
from treville.questions.synthesis.contradiction import Graph, graphs_of
from treville.questions.synthesis.evaluation import apply, violations
from treville.questions.synthesis.listing import Evidence, Value, list_executions
from treville.questions.synthesis.problem import Problem, Requirement
from treville.questions.synthesis.template import Template, closed, require_acyclic
from treville.questions.synthesis.terms import ChosenAxiom, Term
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.questions.synthesis.writing import axiom_line, axiom_names
from treville.results import Budget
from treville.solving.optimum import Optimum

_DEEPEST = 3
_MOST_AXIOMS = 2
_EFFORT = 2_000
_AT_ONCE = 2


def fill_templates(problem: Problem, vocabulary: Vocabulary, budget: Budget) -> Answer:
    """Axioms over templates of growing depth."""
    space = problem.space
    evidence = list_executions(problem.requirements, vocabulary.given(), budget)
    answer = Answer(executions=evidence.executions, method="template")
    if evidence.impossible:
        answer.reason = f"{evidence.impossible[0].name} has no execution that ends as required"
        return answer
    base = vocabulary.values(space.base or vocabulary.default_base(evidence.world), evidence.world)
    minus = vocabulary.values(space.minus, evidence.world, "--minus")
    loop = _Loop(evidence, base, minus, budget)
    for depth in range(1, (space.size or _DEEPEST) + 1):
        for axioms in [space.axioms] if space.axioms else range(1, _MOST_AXIOMS + 1):
            with budget.stage(f"{axioms} templates of depth {depth}, {len(loop.cyclic)} counterexamples"):
                terms = loop.run(depth, axioms)
            answer.candidates = loop.proposed
            if terms is not None:
                answer.found = _found(terms, vocabulary, problem)
                return answer
    answer.reason = "no templates up to this depth explain the tests; raise --size (the depth) or --axioms"
    return answer


class _Loop:
    """Counterexamples, which are kept from one shape of templates to the next."""

    def __init__(
        self, evidence: Evidence, base: Sequence[Known], minus: Sequence[Known], budget: Budget
    ) -> None:
        self.evidence = evidence
        self.known = [*base, *minus]
        self.minus = len(minus)
        self.values = {each.term: each.value for each in self.known}
        self.budget = budget
        self.cyclic: list[int] = []
        self.needed: list[Requirement] = []
        self.proposed = 0
        self.graphs: list[Graph] = graphs_of(evidence.world, self.known)

    def run(self, depth: int, axioms: int) -> list[Term] | None:
        """Terms that explain everything, or None if no templates of this shape do."""
        while True:
            self.budget.check()
            terms = self._proposal(depth, axioms)
            if terms is None:
                return None
            self.proposed += 1
            if self._is_right(terms):
                return terms

    def _is_right(self, terms: list[Term]) -> bool:
        """Do the terms explain everything? What they do not is added to the counterexamples."""
        world, killed = self.evidence.world, 0
        for term in terms:
            killed |= violations(world, AxiomKind.ACYCLIC, self._value(term))
        alive = world.numbers(self.evidence.forbidden & ~killed)
        lost = [each for each, mask in self.evidence.witnesses.items() if not mask & ~killed]
        self.cyclic += sorted(alive, key=lambda number: world.listed[number].n)[:_AT_ONCE]
        self.needed += lost[:_AT_ONCE]
        return not alive and not lost

    def _value(self, term: Term) -> Value:
        if term.op is Operator.BASE:
            return self.values[term]
        return apply(self.evidence.world, term.op, *[self._value(each) for each in term.args])

    def _proposal(self, depth: int, axioms: int) -> list[Term] | None:
        """Terms that explain the counterexamples."""
        formula = Formula()
        base = [each.term for each in self.known]
        templates = [Template(formula, depth, base, self.minus) for _ in range(axioms)]
        for number in self.cyclic:
            graph = self.graphs[number]
            cycles: list[Literal] = []
            for template in templates:
                closure = closed(formula, template.over(graph.n, graph.rows), graph.n)
                cycles += [closure[i][i] for i in range(graph.n)]
            formula.require(*cycles)
        for requirement in self.needed:
            self._require_witness(formula, templates, requirement)
        costs = {literal: cost for each in templates for literal, cost in each.costs().items()}
        literals = [literal for each in templates for literal in each.choices()]
        found = Optimum(formula, costs).best(literals, self.budget, effort=_EFFORT)
        if found is None:
            return None
        return [template.term(found.__contains__) for template in templates]

    def _require_witness(
        self, formula: Formula, templates: Sequence[Template], requirement: Requirement
    ) -> None:
        chosen = []
        for number in self.evidence.world.numbers(self.evidence.witnesses[requirement]):
            graph, literal = self.graphs[number], formula.choice()
            for template in templates:
                require_acyclic(formula, template.over(graph.n, graph.rows), graph.n, literal)
            chosen.append(literal)
        formula.require(*chosen)


def _found(terms: list[Term], vocabulary: Vocabulary, problem: Problem) -> Found:
    axioms = [ChosenAxiom(AxiomKind.ACYCLIC, term) for term in dict.fromkeys(terms)]
    lines = [axiom_line(axiom, name) for axiom, name in zip(axioms, axiom_names(axioms), strict=True)]
    known = len(problem.space.weaker.constraints()) if problem.space.weaker else 0
    size = sum(axiom.size for axiom in axioms)
    return Found(vocabulary.prelude, "\n".join(lines), known + len(axioms), size, False, vocabulary.folder)
