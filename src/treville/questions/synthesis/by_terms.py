"""Models of few small axioms: terms by size, and a cover of what is forbidden (sections 6.2 and 6.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treville.questions.synthesis.answer import Answer, Found
from treville.questions.synthesis.by_size import Known, Terms
from treville.questions.synthesis.contradiction import contradiction
from treville.questions.synthesis.cover import Candidates, cheapest
from treville.questions.synthesis.listing import Evidence, list_executions
from treville.questions.synthesis.problem import Problem, Requirement
from treville.questions.synthesis.terms import ChosenAxiom, leaf
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.questions.synthesis.writing import axiom_line, axiom_names
from treville.results import Budget
from treville.results.verdict import Verdict

# Levels of more terms are not begun: without --size, and while another method waits.
_MOST_TERMS = 400_000
_MOST_TERMS_BRIEFLY = 20_000
_MOST_PAIRS_BRIEFLY = 10_000_000  # terms times executions
_COMPARED_AT_ONCE = 200_000  # pairs of executions


def enumerate_terms(
    problem: Problem,
    vocabulary: Vocabulary,
    budget: Budget,
    on_found: Callable[[Found], None],
    brief: bool = False,
) -> Answer:
    """The smallest model whose axioms are terms over the base."""
    evidence = list_executions(problem.requirements, vocabulary.given(), budget)
    search = _Search(problem, vocabulary, evidence, budget)
    answer = Answer(executions=evidence.executions, method="enumerate")
    if search.is_impossible(answer, evidence.impossible or search.pairs() <= _COMPARED_AT_ONCE):
        return answer
    search.run(answer, on_found, brief)
    if answer.found is None and search.pairs() > _COMPARED_AT_ONCE and not brief:
        search.is_impossible(answer, True)
    return answer


class _Search:
    """Terms, the axioms over them, and the best model so far."""

    def __init__(self, problem: Problem, vocabulary: Vocabulary, evidence: Evidence, budget: Budget) -> None:
        self.space = problem.space
        self.vocabulary = vocabulary
        self.evidence = evidence
        self.budget = budget
        world = evidence.world
        names = list(self.space.base) or vocabulary.default_base(world)
        self.base = vocabulary.values(names, world)
        self.minus = vocabulary.values(self.space.minus, world, "--minus")
        self.terms = Terms(world, self.base, self.minus, budget, self.space.dropping)
        self.candidates = Candidates(evidence)

    def pairs(self) -> int:
        """How many pairs of executions a contradiction is looked for in."""
        witnesses = sum(mask.bit_count() for mask in self.evidence.witnesses.values())
        return witnesses * self.evidence.forbidden.bit_count()

    def is_impossible(self, answer: Answer, look: object) -> bool:
        """Is there no model at all over the base?"""
        if not look:
            return False
        with self.budget.stage("looking for contradictions"):
            found = contradiction(self.evidence, *self._compared(), self.budget)
        if found is None:
            return False
        answer.verdict, answer.contradiction = Verdict.FAIL, tuple(found)
        answer.reason = no_model(found)
        return True

    def _compared(self) -> tuple[Sequence[Known], Sequence[Known]]:
        """What a map between executions has to preserve, and to reflect: the base that was given, or all that
        executions have, since other methods do not keep to the default base."""
        if self.space.base:
            return self.base, self.minus
        world = self.evidence.world
        return (), [Known(leaf(name), world.base(name)) for name in ["id", *world.names()]]

    def run(self, answer: Answer, on_found: Callable[[Found], None], brief: bool) -> None:
        """Go from size to size until no smaller model can come."""
        best: list[ChosenAxiom] | None = None
        size = 0
        while not self._is_over(size, best, brief):
            size += 1
            with self.budget.stage(self._progress(size)):
                level = self.terms.next_level()
                for known in level:
                    self.candidates.add(known)
            answer.candidates = self.terms.examined
            if self.candidates.complete:
                with self.budget.stage(f"choosing among {len(self.candidates.by_hits):,} axioms"):
                    chosen = cheapest(self.candidates, self.space.axioms, self.budget)
                if chosen is not None and (best is None or _size(chosen) < _size(best)):
                    best = chosen
                    answer.found = self._found(best, _size(best) <= size + 1)
                    on_found(answer.found)
        if best is None:
            answer.reason = self._exhausted(size)
        elif answer.found is not None:
            answer.found = self._found(best, _size(best) <= size + 1)

    def _is_over(self, size: int, best: list[ChosenAxiom] | None, brief: bool) -> bool:
        """Has the last level been reached, or can a larger one give nothing smaller?"""
        if best is not None and _size(best) <= size + 1:
            return True
        if self.space.size is not None:
            return size >= self.space.size
        expected = self.terms.expected() if size else 0
        if brief:
            executions = len(self.evidence.world)
            return expected > _MOST_TERMS_BRIEFLY or expected * executions > _MOST_PAIRS_BRIEFLY
        return expected > _MOST_TERMS

    def _progress(self, size: int) -> str:
        left = (self.evidence.forbidden & ~self.candidates.covered).bit_count()
        total = self.evidence.forbidden.bit_count()
        return f"terms of size {size}, {self.terms.examined:,} candidates, {left} of {total} executions left"

    def _found(self, axioms: list[ChosenAxiom], smallest: bool) -> Found:
        ordered = sorted(axioms, key=lambda each: (-each.size, str(each)))
        names = axiom_names(ordered)
        lines = [axiom_line(axiom, name) for axiom, name in zip(ordered, names, strict=True)]
        prelude, folder = self.vocabulary.prelude, self.vocabulary.folder
        known = len(self.space.weaker.constraints()) if self.space.weaker else 0
        return Found(prelude, "\n".join(lines), known + len(axioms), _size(axioms), smallest, folder)

    def _exhausted(self, size: int) -> str:
        names = ", ".join(str(each.term) for each in self.base)
        left = (self.evidence.forbidden & ~self.candidates.covered).bit_count()
        why = f", {left} forbidden executions are excluded by none" if left else ""
        if self.space.axioms is not None and not left:
            why = f" with at most {self.space.axioms} axioms"
        return (
            f"no model over {names} with terms up to size {size} ({self.terms.examined:,} candidates{why}); "
            "raise --size or --axioms, or add to --base"
        )


def no_model(tests: Sequence[Requirement]) -> str:
    """The sentence of a contradiction."""
    first, *others = tests
    if not others:
        return f"{first.name} has no execution that ends as required: no model allows it"
    names = ", ".join(each.name for each in others)
    return (
        f"no model over the base exists: whatever forbids {names} forbids all executions that "
        f"{first.name} is allowed for"
    )


def _size(axioms: list[ChosenAxiom]) -> int:
    return sum(axiom.size for axiom in axioms)
